import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { evaluationRows } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { type Sides, sidesOf } from "../evaluations/answer-rows";
import { samplePrompts } from "../evaluations/sample-prompts";
import { type Chat, openChat } from "./ask-chat";
import type { ChatRequest } from "./overlay";
import { type PreparedProof, prepareProof } from "./prepare-proof";
import { estimateProofInput, type ProofEstimate, proofEstimateReply } from "./schemas";

export const estimateProof = verb(
  {
    name: "variants.estimateProof",
    summary: "See what proving a variant would take.",
    description:
      "Requests are counted exactly; their cost is an estimate for answers as long as the recorded or expected ones. Nothing is sent. 422: nothing can be compared.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: estimateProofInput,
    reply: proofEstimateReply,
  },
  async (ctx, input) => ({ estimate: await estimateOf(ctx, await prepareProof(ctx, input)) }),
);

/** Returns how much a prepared proof would ask, and what that probably costs. */
async function estimateOf(ctx: Ctx, { variant, baseline, prepared }: PreparedProof): Promise<ProofEstimate> {
  const { dataset, rows } = prepared;
  const chat = await openChat(ctx, "proof");
  const sides = sidesOf(baseline, variant);
  const version = { datasetId: dataset?.id ?? null, datasetVersion: dataset?.version ?? null };
  const requests = (await samplePrompts(ctx, version, rows)) as ChatRequest[];
  const questions = new Map<string, number | null>();
  let notApplied = 0;
  for (const [at, request] of requests.entries()) {
    const changed = sides.after.sent(request);
    if (changed === null) {
      notApplied += 1;
      continue;
    }
    for (const [to, sent] of [
      [sides.before.to, request],
      [sides.after.to, changed],
    ] as const)
      questions.set(chat.keyOf(to, sent), chat.usualOf(to, sent, rows[at]?.expected ?? null));
  }
  const known = await knownOf(ctx, [...questions.keys()]);
  for (const key of known) questions.delete(key);
  const costs = [...questions.values()];
  return {
    rows: rows.length,
    requests: questions.size,
    known: known.length,
    baseline,
    cost: costs.includes(null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    unpriced: unpricedOf(chat, sides),
    notApplied,
  };
}

/** Returns the models of a prepared proof that have no price: a limit in US dollars cannot be kept for them. */
export const unpricedModels = async (ctx: Ctx, { variant, baseline }: PreparedProof): Promise<string[]> =>
  unpricedOf(await openChat(ctx, "proof"), sidesOf(baseline, variant));

function unpricedOf(chat: Chat, { before, after }: Sides): string[] {
  const models = [before.to, after.to].filter((to) => chat.usualOf(to, { messages: [] }, null) === null);
  return [...new Set(models.map(({ model }) => model))];
}

/** Returns those of the keys to which an answer is stored. */
async function knownOf({ db, projectId }: Ctx, keys: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const [side, column] of [
    [evaluationRows.before, evaluationRows.beforeKey],
    [evaluationRows.after, evaluationRows.afterKey],
  ] as const) {
    const rows = await db
      .selectDistinct({ key: column })
      .from(evaluationRows)
      .where(and(eq(evaluationRows.projectId, projectId), inArray(column, [...keys]), isNotNull(side)));
    for (const { key } of rows) if (key !== null) found.add(key);
  }
  return [...found];
}
