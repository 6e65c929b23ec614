import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readLabelled, snapshotFromLabelled } from "@/bench/labelled";
import { COLLECTION_OBJECTIVES } from "@/db/schema/enumerations";
import {
  type Goal,
  type LeftOut,
  type Objective,
  type Proposal,
  proposals,
  selectProposals,
  signatureOf,
} from "@/server/services/collection/proposals";
import { validateChatPayload } from "@/server/services/datasets/chat-payload";
import { provenanceKeyOf } from "@/server/services/datasets/examples/provenance-key";
import { splitOf } from "@/server/services/datasets/examples/split";
import goals from "./collection/goals.json" with { type: "json" };
import { labelKey, readLabels } from "./collection/labels";
import { evidenceOf } from "./collection/read-evidence";

/**
 * `npm run bench -- collection DIR… [--print]`: what automatic collection proposes. Each DIR contains `*.jsonl` files of
 * labelled conversations. For each objective it prints what is proposed, what is left out and why, and how many of the
 * labelled proposals are right; `--print` prints each proposal with its messages, to be read and labelled. Fails if part of a
 * conversation of the test split is in train, or if less than RIGHT_LEAST of an objective's labelled proposals are right.
 */
const RIGHT_LEAST = 0.9;
const GOALS: readonly Goal[] = goals;

type Collected = { conversation: string; goal: string | undefined; proposal: Proposal };

const conversations = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith("--"))
  .flatMap((directory) =>
    readdirSync(directory)
      .filter((file) => file.endsWith(".jsonl"))
      .sort()
      .flatMap((file) => readLabelled(readFileSync(path.join(directory, file), "utf8")).conversations),
  );

const collected: Collected[] = [];
const left = new Map<Objective, LeftOut>();
const startedAt = performance.now();
let diagnosing = 0;
for (const labelled of conversations) {
  const snapshot = snapshotFromLabelled(labelled);
  const from = performance.now();
  const evidence = evidenceOf(snapshot, GOALS);
  diagnosing += performance.now() - from;
  for (const objective of COLLECTION_OBJECTIVES) {
    const found = await proposals(snapshot, evidence, { objective, masking: "mask" });
    for (const proposal of found.proposals) {
      collected.push({ conversation: labelled.id, goal: proposal.knowledgeGoalId ?? undefined, proposal });
    }
    const counts = left.get(objective) ?? {};
    for (const [code, count] of Object.entries(found.left) as [keyof LeftOut, number][]) {
      counts[code] = (counts[code] ?? 0) + count;
    }
    left.set(objective, counts);
  }
}
const seconds = (performance.now() - startedAt - diagnosing) / 1000;

const labels = readLabels();
/** Outcomes as the benchmarks label them: they know what the user wanted, not only what the user said. */
const successes = new Map(
  conversations.flatMap(({ id, labels: own }) =>
    typeof own?.success === "boolean" ? [[id, own.success] as const] : [],
  ),
);
const NO_CAPS = { perUser: null, perFinding: null };
const NOTHING = { keys: new Set<string>(), signatures: [], byUser: new Map(), byFinding: new Map() };

console.log(
  `${conversations.length} conversations, all objectives in ${seconds.toFixed(1)} s beside the diagnostics\n`,
);
for (const objective of COLLECTION_OBJECTIVES) {
  const own = collected.filter(({ proposal }) => proposal.objective === objective);
  const offered = own.map(({ conversation, proposal }) => ({
    key: provenanceKeyOf({ source: { conversationId: conversation, turn: proposal.turn }, objective }),
    reasonCode: proposal.reasonCode,
    userId: null,
    findingId: proposal.findingId,
    signature: signatureOf(proposal.payload),
  }));
  const { selected } = selectProposals(offered, NO_CAPS, NOTHING);
  const judged = own.flatMap(({ conversation, goal, proposal: { turn } }) => {
    const found = labels.get(labelKey({ conversation, turn, objective, ...(goal && { goal }) }));
    return found ? [found] : [];
  });
  const right = judged.filter((one) => one.right).length;
  const invalid = own.filter(({ proposal }) => "problems" in validateChatPayload(proposal.payload)).length;
  const share = judged.length === 0 ? "–" : `${((100 * right) / judged.length).toFixed(1)} %`;
  console.log(`${objective}: ${own.length} proposed, ${selected.length} without near-duplicates, ${invalid} invalid`);
  console.log(`  right: ${right} of ${judged.length} labelled (${share})`);
  const verdicts = own.flatMap(({ conversation }) => successes.get(conversation) ?? []);
  if (verdicts.length > 0) {
    const solved = verdicts.filter(Boolean).length;
    console.log(`  of ${verdicts.length} with a benchmark's own verdict, ${solved} are of solved tasks`);
  }
  console.log(
    `  reasons: ${JSON.stringify(Object.fromEntries(countsOf(own.map(({ proposal }) => proposal.reasonCode))))}`,
  );
  console.log(`  left out: ${JSON.stringify(left.get(objective) ?? {})}`);
  if (invalid > 0 || right < RIGHT_LEAST * judged.length) process.exitCode = 1;
}

const splits = new Map<string, Set<string>>();
for (const { conversation } of collected) {
  splits.set(conversation, (splits.get(conversation) ?? new Set()).add(splitOf(conversation)));
}
const leaking = [...splits.values()].filter((of) => of.size > 1).length;
console.log(
  `\nsplits: ${JSON.stringify(Object.fromEntries(countsOf(collected.map(({ conversation }) => splitOf(conversation)))))}`,
);
console.log(`conversations in more than one split: ${leaking}`);
if (leaking > 0) process.exitCode = 1;

if (process.argv.includes("--print")) for (const one of collected) console.log(JSON.stringify(one));

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
