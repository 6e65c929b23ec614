import { type Figures, figuresOf, groupBy, ratio } from "./figures";
import type { FalseAlarms } from "./healthy";
import type { LeftOutFamily } from "./injection-families";
import type { Reading } from "./readings";
import type { Speed } from "./speed";

const cell = (value: number | null) => (value === null ? "   – " : value.toFixed(3)).padStart(6);
const WIDTH = 46;

export function printHead(): void {
  console.log(
    `${"signal".padEnd(WIDTH)} ${"n".padStart(5)} ${"pos".padStart(5)} ${"prec".padStart(6)} ${"recall".padStart(6)} ${"F1".padStart(6)} ${"AUC".padStart(6)}`,
  );
}

export function printFigures(name: string, { n, positives, precision, recall, f1, auc }: Figures): void {
  console.log(
    `${name.padEnd(WIDTH)} ${String(n).padStart(5)} ${String(positives).padStart(5)} ${cell(precision)} ${cell(recall)} ${cell(f1)} ${cell(auc)}`,
  );
}

/** Prints a line per Signal, and under it one per file and per family. */
export function printReadings(readings: readonly Reading[], what: string): void {
  const print = (name: string, some: readonly Reading[]) =>
    printFigures(name, figuresOf(some.map(({ verdict }) => verdict)));
  for (const [signal, ofSignal] of groupBy(readings, (reading) => reading.signal)) {
    print(`${signal} (${what})`, ofSignal);
    const files = groupBy(ofSignal, (reading) => reading.file);
    if (files.size > 1 || what !== "generated") for (const [file, ofFile] of files) print(`  ${file}`, ofFile);
    const families = groupBy(
      ofSignal.filter(({ family }) => family !== null),
      ({ family }) => family!,
    );
    for (const [family, ofFamily] of families) print(`    family ${family}`, ofFamily);
  }
}

/** Prints each Signal's false alarms, and marks those above `most`. */
export function printFalseAlarms(alarms: ReadonlyMap<string, FalseAlarms>, most: number): void {
  console.log(`\nfalse alarms at default thresholds (at most ${100 * most} %)`);
  for (const [signal, { healthy, alarms: count }] of alarms) {
    const share = ratio(count, healthy);
    if (share === null) continue;
    const mark = share > most ? "  <<" : "";
    console.log(
      `${signal.padEnd(WIDTH)} ${String(count).padStart(5)} of ${String(healthy).padStart(6)} = ${(100 * share).toFixed(2)} %${mark}`,
    );
  }
}

/** Prints how many attacks of each family are found without the cues written for it, and marks recalls below `least`. */
export function printFamilies(families: readonly LeftOutFamily[], least: number): void {
  if (families.length > 0) console.log(`\nprompt_injection without the cues of a family (recall at least ${least})`);
  for (const { attack, n, found, clean, alarms } of families) {
    const mark = found < least * n ? "  <<" : "";
    console.log(
      `  ${attack.padEnd(WIDTH - 2)} ${String(found).padStart(5)} of ${String(n).padStart(6)} = ${(found / n).toFixed(3)}; ${alarms} of ${clean} without an attack${mark}`,
    );
  }
}

export const printSpeed = (name: string, { first, again }: Speed) =>
  console.log(
    `${name.padEnd(WIDTH)} ${first.toFixed(0).padStart(8)} conversations/s/core, ${again.toFixed(0)} when read again`,
  );
