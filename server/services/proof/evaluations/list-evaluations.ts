import { and, eq } from "drizzle-orm";
import { evaluations } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readEvaluation, readEvaluations } from "./read-evaluations";
import { evaluationIdInput, evaluationReply, evaluationsReply, listEvaluationsInput } from "./schemas";

export const listEvaluations = verb(
  {
    name: "evaluations.list",
    summary: "List the evaluations of a checkpoint, of a variant, of a Finding or of the project, newest first.",
    description:
      "`checkpointId`, `variantId` and `findingId` filter the list. Each has its progress (`done` of `total` rows) and its counts so far; `verdict` is that of a proof that has ended, otherwise `null`.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listEvaluationsInput,
    reply: evaluationsReply,
  },
  async (ctx, { checkpointId, variantId, findingId, limit, cursor }) => {
    const list = newestFirst({
      name: "evaluations",
      filters: { project: ctx.projectId, checkpointId, variantId, findingId },
      time: evaluations.createdAt,
      id: evaluations.id,
      limit,
      cursor,
    });
    const condition = and(
      checkpointId === undefined ? undefined : eq(evaluations.checkpointId, checkpointId),
      variantId === undefined ? undefined : eq(evaluations.variantId, variantId),
      findingId === undefined ? undefined : eq(evaluations.findingId, findingId),
      list.after,
    );
    const found = await readEvaluations(ctx, condition, { order: list.order, limit: list.fetch });
    const { rows, nextCursor } = list.page(found, ({ createdAt, id }) => [createdAt, id]);
    return { evaluations: rows, nextCursor };
  },
);

export const getEvaluation = verb(
  {
    name: "evaluations.get",
    summary: "Read one evaluation.",
    description:
      "`comparison` and `proof` count the rows that both models have answered, even while it is running. A row deleted with its user, conversation or Example no longer counts while the evaluation is running, and still counts once it has ended.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: evaluationIdInput,
    reply: evaluationReply,
  },
  async (ctx, { evaluationId }) => {
    return { evaluation: await readEvaluation(ctx, evaluationId) };
  },
);
