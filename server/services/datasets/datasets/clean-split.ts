import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { lockDataset } from "../examples/lock-dataset";
import type { Change, Split } from "../examples/types";
import { writeExamples } from "../examples/write-examples";
import { closeVersion } from "../versions/open-version";
import { cleanSplitReply } from "./check-schemas";
import { type Compared, groupsInSeveralSplits, readLikeness } from "./read-likeness";
import { datasetIdInput } from "./schemas";

/** What a request can compare and write within its time. */
const EXAMPLES_MAX = 50_000;
const MOVES_AT_ONCE = 500;
const SHARES: Record<Split, number> = { train: 0.8, validation: 0.1, test: 0.1 };
const SPLITS = Object.keys(SHARES) as Split[];

export const cleanSplit = verb(
  {
    name: "datasets.cleanSplit",
    summary: "Split a Dataset's Examples again where copies of held-out Examples are trained on.",
    description:
      "Examples of one conversation or user, near copies of a question and equal long answers come to one side, about 80 % of all to training and 10 % each to validation and test; all others stay where they are. Writes one new version, and none if there is nothing to move; earlier versions keep their split. 409 for more than 50,000 Examples, or while an import is being stored.",
    effect: "write",
    capability: "models:manage",
    input: datasetIdInput,
    reply: cleanSplitReply,
  },
  async (ctx, { datasetId }) => {
    const dataset = await lockDataset(ctx, datasetId);
    if (dataset.exampleCount > EXAMPLES_MAX) {
      throw new ServiceError("conflict", `Only Datasets of up to ${EXAMPLES_MAX} Examples can be split again.`);
    }
    const found = await readLikeness(ctx, datasetId, EXAMPLES_MAX);
    const moves = movesOf(found.examples, groupsInSeveralSplits(found));
    const causeId = newId("spl");
    for (let from = 0; from < moves.length; from += MOVES_AT_ONCE) {
      await writeExamples(ctx, dataset, moves.slice(from, from + MOVES_AT_ONCE), { kind: "edit", causeId });
    }
    await closeVersion(ctx, dataset, causeId);
    auditNote(ctx, { target: { type: "dataset", id: datasetId }, after: { moved: moves.length } });
    return { cleanSplit: { moved: moves.length, version: dataset.version } };
  },
);

/** Gives each group to the split that lacks most, the largest group first. */
function movesOf(all: readonly Compared[], groups: readonly (readonly Compared[])[]): Change[] {
  const counts: Record<Split, number> = { train: 0, validation: 0, test: 0 };
  for (const { split } of all) counts[split] += 1;
  for (const { split } of groups.flat()) counts[split] -= 1;
  return groups.flatMap((members) => {
    const lacking = (split: Split) => SHARES[split] * all.length - counts[split];
    const chosen = SPLITS.reduce((best, split) => (lacking(split) > lacking(best) ? split : best));
    counts[chosen] += members.length;
    return members.flatMap(({ id, split }): Change[] =>
      split === chosen ? [] : [{ kind: "update", exampleId: id, patch: { split: chosen } }],
    );
  });
}
