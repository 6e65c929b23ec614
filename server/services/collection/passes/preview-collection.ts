import type { z } from "zod";
import { databaseNow } from "@/db/database-now";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "@/server/services/datasets";
import { selectProposals } from "../proposals";
import { CAPS } from "./caps";
import { collectingOf } from "./collection-settings";
import { addCounts, type OfferedProposal, readProposals } from "./read-proposals";
import { collectionPreviewReply, previewCollectionInput, previewObjectiveInput } from "./schemas";
import { nextConversations } from "./settled-conversations";

const DAYS_MS = 30 * 86_400_000;
/** Limits the conversations read, because a user is waiting for the result. */
const READ_MAX = 300;
const BATCH_SIZE = 50;
const SAMPLES = 10;
const NOTHING = { keys: new Set<string>(), signatures: [], byUser: new Map(), byFinding: new Map() };

const DESCRIPTION = `Reads the newest ${READ_MAX} settled conversations of these days; \`complete\` is true if these were all. \`reasons\` and \`left\` count by reason what it collects and what it leaves out.`;

export const previewCollection = verb(
  {
    name: "collectionPasses.preview",
    summary: "Show what a Dataset's objective would have collected from the last 30 days. Stores nothing.",
    description: `${DESCRIPTION} 422 if neither the Dataset nor the request names an objective.`,
    effect: "read",
    capability: "workspace:read",
    input: previewCollectionInput,
    reply: collectionPreviewReply,
  },
  async (ctx, input) => {
    const dataset = await readDatasetRow(ctx, input.datasetId);
    const objective = input.objective ?? dataset.collectionObjective;
    if (objective === null) throw unprocessable("/objective", "Choose an objective: the Dataset has none.");
    const collectionFilters = input.collectionFilters ?? dataset.collectionFilters;
    return { preview: await previewOf(ctx, { objective, collectionFilters }) };
  },
);

export const previewObjective = verb(
  {
    name: "collectionPasses.previewObjective",
    summary: "Show what a Dataset with an objective would have collected from the last 30 days. Stores nothing.",
    description: `For a Dataset that does not exist yet. ${DESCRIPTION}`,
    effect: "read",
    capability: "workspace:read",
    input: previewObjectiveInput,
    reply: collectionPreviewReply,
  },
  async (ctx, input) => ({ preview: await previewOf(ctx, input) }),
);

type Previewed = z.output<typeof previewObjectiveInput>;

/** Returns what an objective would have collected, and why the rest is left out. */
async function previewOf(ctx: Ctx, { objective, collectionFilters }: Previewed) {
  // Nothing is stored and no model is called, so no Dataset is needed.
  const [collecting] = await collectingOf(ctx, [{ id: "", objective, collectionFilters, collectionAsksModel: false }]);
  const endMs = await databaseNow(ctx.db);
  const window = { startMs: endMs - DAYS_MS, endMs };
  const newest = await nextConversations(ctx, window, { after: null, limit: READ_MAX + 1 });
  const looked = newest.slice(0, READ_MAX);
  const settled = looked.filter((one) => one.settled);
  const left: Record<string, number> = {};
  const offered: OfferedProposal[] = [];
  for (let from = 0; from < settled.length; from += BATCH_SIZE) {
    const [read] = await readProposals(ctx, settled.slice(from, from + BATCH_SIZE), [collecting!]);
    addCounts(left, read!.left);
    offered.push(...read!.offered);
  }
  if (settled.length < looked.length) addCounts(left, { not_settled: looked.length - settled.length });
  const selection = selectProposals(offered, CAPS, NOTHING);
  addCounts(left, selection.left);
  const reasons: Record<string, number> = {};
  for (const { reasonCode } of selection.selected) addCounts(reasons, { [reasonCode]: 1 });
  return {
    objective,
    since: window.startMs,
    conversations: looked.length,
    complete: newest.length <= READ_MAX,
    proposed: selection.selected.length,
    reasons,
    left,
    samples: selection.selected.slice(0, SAMPLES).map(({ conversationId, reasonCode, findingId, proposal }) => ({
      conversationId,
      turn: proposal.turn,
      reason: proposal.reason,
      reasonCode,
      findingId,
      knowledgeGoalId: proposal.knowledgeGoalId,
      payload: proposal.payload,
    })),
  };
}
