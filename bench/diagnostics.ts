import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generateLabelled, type LabelledConversation, readLabelled } from "@/bench/labelled";
import { RULES } from "@/server/services/diagnostics/rules";
import { confidenceTable } from "./diagnostics/confidence-table";
import { evidenceDistance } from "./diagnostics/evidence-distance";
import { figuresOf } from "./diagnostics/figures";
import { falseAlarms } from "./diagnostics/healthy";
import { leftOutFamilies, RECALL_LEAST } from "./diagnostics/injection-families";
import { personalDataFigures } from "./diagnostics/personal-data";
import { loopVerdicts } from "./diagnostics/planted-loops";
import {
  printFalseAlarms,
  printFamilies,
  printFigures,
  printHead,
  printReadings,
  printSpeed,
} from "./diagnostics/print";
import { qualityPage } from "./diagnostics/quality-page";
import { conversationReadings, diagnoseFile, type LabelledFile, messageReadings } from "./diagnostics/readings";
import { OF_CHARACTERS, OF_MESSAGES, ofCharacters, ofMessages, speedOf } from "./diagnostics/speed";

/**
 * `npm run bench -- diagnostics [DIR…] [--write] [--quick]`: the diagnostics on labelled conversations. Each DIR has
 * `*.jsonl`, whose conversations are healthy if the file is named `healthy…`; without a DIR only the generated set is read.
 * `--write` regenerates the confidence table and docs/diagnostics-quality.md. `--quick` leaves out the speed.
 */

const ROOT = path.join(import.meta.dirname, "..");
const TABLE = path.join(ROOT, "server/services/diagnostics/rules/confidence-table.generated.json");
const PAGE = path.join(ROOT, "docs/diagnostics-quality.md");
/** Share of healthy conversations in which a Signal may be reported. */
const FALSE_ALARMS_MAXIMUM = 0.01;

function read(directory: string): LabelledFile[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .map((file) => {
      const { conversations, errors } = readLabelled(readFileSync(path.join(directory, file), "utf8"));
      for (const { line, message } of errors) console.error(`${file}:${line}: ${message}`);
      return { file, conversations };
    });
}

function main(): void {
  const files = process.argv
    .slice(2)
    .filter((argument) => !argument.startsWith("--"))
    .flatMap(read);
  const real = files.flatMap(({ conversations }) => conversations);
  const generatedSet = generateLabelled();
  const signals = RULES.flatMap(({ detectors }) => detectors.map(({ signal }) => signal));

  const diagnosed = files.flatMap(diagnoseFile);
  const measured = diagnosed.flatMap(conversationReadings);
  const generated = diagnoseFile({ file: "generated", conversations: generatedSet }).flatMap(conversationReadings);
  const alarms = falseAlarms(diagnosed, signals);
  const distance = evidenceDistance(diagnosed);
  const families = leftOutFamilies(real);

  printHead();
  printReadings(measured, "all files");
  printReadings(diagnosed.flatMap(messageReadings), "by message");
  if (real.length > 0) printFigures("agent-loop (planted in DIR, or ended by limit)", figuresOf(loopVerdicts(real)));
  printReadings(generated, "generated");
  printFalseAlarms(alarms, FALSE_ALARMS_MAXIMUM);
  printFamilies(families, RECALL_LEAST);
  if (families.some(({ found, n }) => found < RECALL_LEAST * n)) process.exitCode = 1;
  const personal = personalDataFigures(real);
  if (personal) {
    const { n, found, exact, falseAlarms: elsewhere } = personal;
    console.log(
      `\npersonal data with a form: ${found} of ${n} found, ${exact} with exact bounds; elsewhere ${elsewhere}`,
    );
  }
  console.log(
    `\nbest evidence within a step of the decisive one: ${distance.near} of ${distance.n}, any evidence ${distance.anyNear}; something reported in ${distance.found}`,
  );
  if (!process.argv.includes("--quick")) printSpeeds(files, real, generatedSet);

  if (process.argv.includes("--write")) {
    const table = { signals: confidenceTable(signals, { measured, generated }) };
    writeFileSync(TABLE, `${JSON.stringify(table, null, 2)}\n`);
    const counts = files.map(({ file, conversations }) => ({ file, n: conversations.length }));
    writeFileSync(PAGE, qualityPage({ measured, generated, alarms, distance, families, files: counts }));
    console.log(`wrote ${[TABLE, PAGE].map((file) => path.relative(process.cwd(), file)).join(" and ")}`);
  }
}

function printSpeeds(
  files: readonly LabelledFile[],
  real: readonly LabelledConversation[],
  generated: readonly LabelledConversation[],
): void {
  const sets: [string, readonly LabelledConversation[]][] = [
    ...files.map(({ file, conversations }): [string, readonly LabelledConversation[]] => [file, conversations]),
    ["all files", real],
    [`of about ${OF_MESSAGES} messages`, ofMessages(real)],
    [`agent traces of about ${OF_CHARACTERS / 1000} kB`, ofCharacters(real)],
    ["generated", generated],
  ];
  for (const [name, conversations] of sets) if (conversations.length > 0) printSpeed(name, speedOf(conversations));
}

main();
