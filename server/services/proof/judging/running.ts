import { and, eq, inArray } from "drizzle-orm";
import { evaluationJudgings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";

/** Condition: the judging of an evaluation that has not ended. */
export const isUnfinished = ({ projectId }: Pick<Ctx, "projectId">, evaluationId: string) =>
  and(
    eq(evaluationJudgings.projectId, projectId),
    eq(evaluationJudgings.id, evaluationId),
    inArray(evaluationJudgings.status, ["queued", "running"]),
  );

/** Returns whether an evaluation's rows are being judged. */
export const isJudging = async (ctx: Ctx, evaluationId: string): Promise<boolean> =>
  (await ctx.db.$count(evaluationJudgings, isUnfinished(ctx, evaluationId))) > 0;
