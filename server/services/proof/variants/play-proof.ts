import { and, eq } from "drizzle-orm";
import { variants } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { lockRecording } from "@/server/services/trainers";
import { insertEvaluation } from "../evaluations/insert-evaluation";
import { replaysOf } from "../evaluations/prepare-evaluation";
import { lockEvaluation } from "../evaluations/read-evaluations";
import { ROWS_DEFAULT } from "../evaluations/schemas";
import { storeAnswers, unansweredRows } from "../evaluations/store-answers";
import { insertVariant } from "./insert-variant";
import { RECORDED_CONNECTION } from "./variant-rows";

type Played = {
  name: string;
  model: string;
  basedOn: string;
  systemPrompt: string;
  note: string;
  findingId: string;
  /** Returns what the variant answers where this was answered. */
  answerTo: (recorded: string) => string;
};

/**
 * Saves a variant and proves it on a Finding's conversations with answers that were written down, once: what runs today gives the
 * answers of the conversations. No model is asked. Returns the ids of the variant and the proof, `null` if they are there.
 */
export async function playProof(
  ctx: Ctx,
  { answerTo, findingId, ...variant }: Played,
): Promise<{ variantId: string; evaluationId: string } | null> {
  const { models: _, ...replays } = await replaysOf(ctx, findingId, {
    taught: [],
    skip: new Set(),
    limit: ROWS_DEFAULT,
    withTools: true,
  });
  return inTransaction(ctx, async (tx) => {
    await lockRecording(tx);
    if (await isSaved(tx, variant.name)) return null;
    const endpoint = {
      connectionId: RECORDED_CONNECTION.id,
      deploymentId: null,
      baseModel: null,
      model: variant.model,
    };
    const more = { parameters: {}, toolDescriptions: {}, findingId, seenConversationIds: [] };
    const variantId = await insertVariant(tx, { ...variant, ...endpoint, ...more });
    const compared = { variantId, baseline: endpoint, maxCost: null };
    const evaluationId = await insertEvaluation(
      tx,
      { kind: "finding", findingId },
      { compared, dataset: null, ...replays },
    );
    // It ends in the transaction that queues it, so that no job asks for answers.
    const rows = await unansweredRows(tx, evaluationId, { limit: ROWS_DEFAULT });
    const record = await lockEvaluation(tx, evaluationId);
    const answered = (content: string) => ({ content, finishReason: "stop" as const });
    const answers = rows.map(({ n, expected }) => ({
      n,
      before: answered(expected ?? ""),
      after: answered(answerTo(expected ?? "")),
    }));
    if (record) await storeAnswers(tx, record, answers);
    return { variantId, evaluationId };
  });
}

const isSaved = async ({ db, projectId }: Ctx, name: string) =>
  (await db.$count(variants, and(eq(variants.projectId, projectId), eq(variants.name, name)))) > 0;
