import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  between,
  type DiagnosedSignal,
  diagnoseSnapshot,
  generateLabelled,
  type LabelledConversation,
  randomStream,
  readLabelled,
  snapshotFromLabelled,
} from "@/bench/labelled";
import { RULES } from "@/server/services/diagnostics/rules";
import {
  bucketOf,
  type ConfidenceBucket,
  type DetectorFigures,
  type MeasuredSignal,
  SCORE_BUCKETS,
} from "@/server/services/diagnostics/rules/confidence";

/**
 * Measures the diagnostics on labelled conversations: `npm run bench:diagnostics -- [DIR] [--write]`. DIR holds `*.jsonl`;
 * without it only the generated set is read. `--write` regenerates the confidence table.
 */

const TABLE = path.join(import.meta.dirname, "../server/services/diagnostics/rules/confidence-table.generated.json");

/** One conversation's result for one Signal: whether its labels say it is present, and what was found. */
type Verdict = { present: boolean; found: readonly DiagnosedSignal[]; correct: (signal: DiagnosedSignal) => boolean };
type Reading = { file: string; signal: string; verdict: Verdict };
type Source = "measured" | "generated";

const isMatch = ({ verdict }: DiagnosedSignal) => verdict === "match";

// --- Labels → Signals -----------------------------------------------------------------------------------------------

/** What a file's labels say about a Signal; `null` where they do not cover it. */
type Gold = { present: boolean; correct?: (signal: DiagnosedSignal) => boolean };
const GOLD: Readonly<Record<string, (conversation: LabelledConversation) => Gold | null>> = {
  tool_error: ({ messages }) => {
    const results = messages.filter(({ role }) => role === "tool");
    if (!results.some(({ tool_error }) => typeof tool_error === "boolean")) return null;
    return {
      present: results.some(({ tool_error }) => tool_error === true),
      correct: ({ evidence }) =>
        evidence.some((one) => one.messageIndex !== null && messages[one.messageIndex]?.tool_error === true),
    };
  },
  language_mismatch: ({ labels }) =>
    typeof labels?.script_mismatch === "boolean" ? { present: labels.script_mismatch } : null,
};

function readingsOf(file: string, conversation: LabelledConversation, found: readonly DiagnosedSignal[]): Reading[] {
  const readings: Reading[] = [];
  const add = (signal: string, gold: Gold) => {
    const ours = found.filter(({ name }) => name === signal);
    readings.push({
      file,
      signal,
      verdict: { present: gold.present, found: ours, correct: gold.correct ?? (() => gold.present) },
    });
  };
  for (const [signal, read] of Object.entries(GOLD)) {
    const gold = read(conversation);
    if (gold) add(signal, gold);
  }
  const made = conversation.labels?.signals;
  if (made && typeof made === "object") {
    for (const [signal, present] of Object.entries(made)) add(signal, { present: present === true });
  }
  return readings;
}

// --- Figures --------------------------------------------------------------------------------------------------------

type Figures = {
  n: number;
  positives: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  auc: number | null;
};

function figuresOf(verdicts: readonly Verdict[]): Figures {
  let [truePositives, falsePositives, falseNegatives] = [0, 0, 0];
  for (const { present, found } of verdicts) {
    const seen = found.some(isMatch);
    if (seen && present) truePositives++;
    else if (seen) falsePositives++;
    else if (present) falseNegatives++;
  }
  const precision = ratio(truePositives, truePositives + falsePositives);
  const recall = ratio(truePositives, truePositives + falseNegatives);
  const f1 = ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
  const scored = verdicts.map(({ present, found }) => ({
    present,
    score: Math.max(0, ...found.map(({ score }) => score)),
  }));
  return {
    n: verdicts.length,
    positives: truePositives + falseNegatives,
    precision,
    recall,
    f1,
    auc: areaUnderCurve(scored),
  };
}

const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);

/** Returns the chance that a conversation with the Signal scores above one without; ties count half. `null` without both kinds. */
function areaUnderCurve(scored: readonly { present: boolean; score: number }[]): number | null {
  const sorted = [...scored].sort((a, b) => a.score - b.score);
  const positives = sorted.filter(({ present }) => present).length;
  const negatives = sorted.length - positives;
  if (positives === 0 || negatives === 0) return null;
  let rankSum = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]!.score === sorted[start]!.score) end++;
    const rank = (start + 1 + end) / 2;
    rankSum += rank * sorted.slice(start, end).filter(({ present }) => present).length;
    start = end;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

// --- Tool errors by message -----------------------------------------------------------------------------------------

type MessageCounts = { truePositives: number; falsePositives: number; falseNegatives: number };

function countToolMessages(
  conversation: LabelledConversation,
  found: readonly DiagnosedSignal[],
  counts: MessageCounts,
): void {
  const seen = new Set(
    found
      .filter((signal) => signal.name === "tool_error" && isMatch(signal))
      .flatMap(({ evidence }) => evidence.map(({ messageIndex }) => messageIndex)),
  );
  conversation.messages.forEach((message, index) => {
    if (message.role !== "tool" || typeof message.tool_error !== "boolean") return;
    if (message.tool_error && seen.has(index)) counts.truePositives++;
    else if (message.tool_error) counts.falseNegatives++;
    else if (seen.has(index)) counts.falsePositives++;
  });
}

// --- Planted loops --------------------------------------------------------------------------------------------------

const PLANTED_REPEATS = { least: 2, most: 4 };
const CALLS_TO_PLANT_IN = 3;

/** Returns a copy of a real conversation in which one call, or two in turn, repeat with the same results. */
function plantLoop(conversation: LabelledConversation, seed: number): LabelledConversation | null {
  const { messages } = conversation;
  const calls = messages.flatMap((message, index) =>
    message.role === "assistant" && message.tool_calls?.length === 1 && messages[index + 1]?.role === "tool"
      ? [index]
      : [],
  );
  if (calls.length < CALLS_TO_PLANT_IN) return null;
  const random = randomStream(seed);
  const at = calls[between(random, 0, calls.length - 2)]!;
  const length =
    messages[at + 2]?.tool_calls?.length === 1 && messages[at + 3]?.role === "tool" && random() < 0.4 ? 4 : 2;
  const block = messages.slice(at, at + length);
  const repeats = Array.from(
    { length: between(random, PLANTED_REPEATS.least, PLANTED_REPEATS.most) },
    () => block,
  ).flat();
  return { ...conversation, messages: [...messages.slice(0, at + length), ...repeats, ...messages.slice(at + length)] };
}

const LOOP_RULE = "agent-loop";
const endedByLimit = ({ labels }: LabelledConversation) => /max_steps|too_many/.test(String(labels?.termination ?? ""));

function loopVerdicts(conversations: readonly LabelledConversation[]): Verdict[] {
  return conversations.flatMap((conversation, seed) => {
    const planted = plantLoop(conversation, seed);
    if (!planted) return [];
    const loops = (one: LabelledConversation) =>
      diagnoseSnapshot(snapshotFromLabelled(one)).filter(({ rule }) => rule === LOOP_RULE);
    const real = { present: endedByLimit(conversation), found: loops(conversation), correct: () => false };
    return [real, { present: true, found: loops(planted), correct: () => true }];
  });
}

// --- Speed ----------------------------------------------------------------------------------------------------------

/** CPU seconds: wall time would measure other work on the machine. */
const SPEED_SECONDS = 1.5;
const MICROSECONDS = 1_000_000;

/** Returns conversations per CPU second, all Rules, each conversation read from scratch. */
function speedOf(conversations: readonly LabelledConversation[]): number {
  let spent = 0;
  let count = 0;
  do {
    const snapshots = conversations.map(snapshotFromLabelled);
    const start = process.cpuUsage();
    for (const snapshot of snapshots) diagnoseSnapshot(snapshot);
    const { user, system } = process.cpuUsage(start);
    spent += (user + system) / MICROSECONDS;
    count += snapshots.length;
  } while (spent < SPEED_SECONDS);
  return count / spent;
}

// --- The table ------------------------------------------------------------------------------------------------------

function tableOf(bySource: Record<Source, readonly Reading[]>): Record<string, MeasuredSignal> {
  const signals = RULES.flatMap(({ detectors }) => detectors.map(({ signal }) => signal));
  return Object.fromEntries(
    signals.map((signal) => {
      const verdictsOf = (source: Source) =>
        bySource[source].filter((reading) => reading.signal === signal).map(({ verdict }) => verdict);
      const [measured, generated] = [verdictsOf("measured"), verdictsOf("generated")];
      const buckets = SCORE_BUCKETS.map(
        (from): ConfidenceBucket => ({ from, measured: countIn(from, measured), generated: countIn(from, generated) }),
      );
      return [
        signal,
        {
          measured: rounded(figuresOf(measured)),
          generated: rounded(figuresOf(generated)),
          buckets: buckets.filter((bucket) => bucket.measured.n + bucket.generated.n > 0),
        },
      ];
    }),
  );
}

function rounded({ n, precision, recall, f1, auc }: Figures): DetectorFigures {
  const round = (value: number | null) => (value === null ? null : Number(value.toFixed(3)));
  return { n, precision: round(precision), recall: round(recall), f1: round(f1), auc: round(auc) };
}

function countIn(bucket: number, verdicts: readonly Verdict[]): { n: number; correct: number } {
  const inBucket = verdicts.flatMap(({ found, correct }) =>
    found.filter(({ score }) => bucketOf(score) === bucket).map(correct),
  );
  return { n: inBucket.length, correct: inBucket.filter(Boolean).length };
}

// --- Output ---------------------------------------------------------------------------------------------------------

const cell = (value: number | null) => (value === null ? "   – " : value.toFixed(3)).padStart(6);

function printFigures(name: string, { n, positives, precision, recall, f1, auc }: Figures): void {
  console.log(
    `${name.padEnd(46)} ${String(n).padStart(5)} ${String(positives).padStart(5)} ${cell(precision)} ${cell(recall)} ${cell(f1)} ${cell(auc)}`,
  );
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function read(directory: string | undefined): { file: string; conversations: LabelledConversation[] }[] {
  if (!directory) return [];
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
  const directory = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
  const files = read(directory);
  const measure = (file: string, conversations: readonly LabelledConversation[], counts?: MessageCounts) =>
    conversations.flatMap((conversation) => {
      const found = diagnoseSnapshot(snapshotFromLabelled(conversation));
      if (counts) countToolMessages(conversation, found, counts);
      return readingsOf(file, conversation, found);
    });

  const messages: MessageCounts = { truePositives: 0, falsePositives: 0, falseNegatives: 0 };
  const measured = files.flatMap(({ file, conversations }) => measure(file, conversations, messages));
  const generatedSet = generateLabelled();
  const generated = measure("generated", generatedSet);

  console.log(
    `${"signal".padEnd(46)} ${"n".padStart(5)} ${"pos".padStart(5)} ${"prec".padStart(6)} ${"recall".padStart(6)} ${"F1".padStart(6)} ${"AUC".padStart(6)}`,
  );
  for (const [signal, readings] of groupBy(measured, (reading) => reading.signal)) {
    printFigures(`${signal} (all files)`, figuresOf(readings.map(({ verdict }) => verdict)));
    for (const [file, ofFile] of groupBy(readings, (reading) => reading.file)) {
      printFigures(`  ${file}`, figuresOf(ofFile.map(({ verdict }) => verdict)));
    }
  }
  if (measured.length > 0) {
    const { truePositives, falsePositives, falseNegatives } = messages;
    const f1 = ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
    const n = truePositives + falsePositives + falseNegatives;
    const [precision, recall] = [
      ratio(truePositives, truePositives + falsePositives),
      ratio(truePositives, truePositives + falseNegatives),
    ];
    printFigures("tool_error by message", {
      n,
      positives: truePositives + falseNegatives,
      precision,
      recall,
      f1,
      auc: null,
    });
  }
  const real = files.flatMap(({ conversations }) => conversations);
  if (real.length > 0) printFigures("agent-loop (planted in DIR, or ended by limit)", figuresOf(loopVerdicts(real)));
  for (const [signal, readings] of groupBy(generated, (reading) => reading.signal)) {
    printFigures(`${signal} (generated)`, figuresOf(readings.map(({ verdict }) => verdict)));
  }

  for (const { file, conversations } of files) {
    if (conversations.length > 0)
      console.log(`${file.padEnd(46)} ${speedOf(conversations).toFixed(0).padStart(8)} conversations/s/core`);
  }
  if (real.length > 0)
    console.log(`${"all files".padEnd(46)} ${speedOf(real).toFixed(0).padStart(8)} conversations/s/core`);
  console.log(`${"generated".padEnd(46)} ${speedOf(generatedSet).toFixed(0).padStart(8)} conversations/s/core`);

  if (process.argv.includes("--write")) {
    writeFileSync(TABLE, `${JSON.stringify({ signals: tableOf({ measured, generated }) }, null, 2)}\n`);
    console.log(`wrote ${path.relative(process.cwd(), TABLE)}`);
  }
}

main();
