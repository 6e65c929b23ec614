import { createHash } from "node:crypto";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { evaluationReviews, evaluationRows } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { recountJudging } from "../judging/run-judging";
import { lockEvaluation, readEvaluation } from "./read-evaluations";
import {
  type BLIND_CHOICES,
  type BlindRow,
  type ModelAnswer,
  nextBlindRowInput,
  nextBlindRowReply,
  type PromptMessage,
  reviewRowInput,
} from "./schemas";
import { recountReviewed } from "./store-answers";

/** Returns a number in [0, 1) that looks random and is always the same for the same text. */
const pseudorandom = (text: string) => createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;

/** Whether a reviewer sees the later answer first: depends on row and reviewer, so that no order can be learned. */
const isLaterFirst = (evaluationId: string, n: number, reviewerId: string) =>
  pseudorandom(`order ${evaluationId} ${n} ${reviewerId}`) < 0.5;

function reviewerOf({ actor }: Ctx): string {
  if (actor.kind !== "user") throw unprocessable("", "Only a signed-in person can review answers.");
  return actor.userId;
}

const answeredRows = (ctx: Ctx, evaluationId: string) =>
  ctx.db
    .select()
    .from(evaluationRows)
    .where(
      and(
        eq(evaluationRows.projectId, ctx.projectId),
        eq(evaluationRows.evaluationId, evaluationId),
        isNotNull(evaluationRows.after),
      ),
    );

/** Reads the evaluation, with the right to see words of conversations if it has any. */
async function readReviewable(ctx: Ctx, evaluationId: string) {
  const found = await readEvaluation(ctx, evaluationId);
  if (found.kind === "finding") requireCapability(ctx, ["diagnostics:read", "project:data:read"]);
  return found;
}

export const nextBlindRow = verb(
  {
    name: "evaluations.nextBlind",
    summary: "Read the next row to review, with both answers in an order that hides the models.",
    description:
      "Rows come in an order that is random and the same for all reviewers, so that those reviewed first say something about the rest. Decide it with `evaluations.review`.",
    effect: "read",
    capability: "workspace:read",
    input: nextBlindRowInput,
    reply: nextBlindRowReply,
  },
  async (ctx, { evaluationId, after }) => {
    const reviewerId = reviewerOf(ctx);
    await readReviewable(ctx, evaluationId);
    const rows = await answeredRows(ctx, evaluationId);
    const own = await ctx.db
      .select({ n: evaluationReviews.n })
      .from(evaluationReviews)
      .where(
        and(
          eq(evaluationReviews.projectId, ctx.projectId),
          eq(evaluationReviews.evaluationId, evaluationId),
          eq(evaluationReviews.reviewerId, reviewerId),
        ),
      );
    const reviewed = new Set(own.map(({ n }) => n));
    const placeOf = (n: number) => pseudorandom(`draw ${evaluationId} ${n}`);
    const from = after === undefined ? -1 : placeOf(after);
    const [next] = rows
      .filter(({ n }) => !reviewed.has(n) && placeOf(n) > from)
      .sort((a, b) => placeOf(a.n) - placeOf(b.n));
    return {
      row: next ? blind(next, evaluationId, reviewerId) : null,
      reviewed: own.length,
      total: rows.length,
    };
  },
);

function blind(row: typeof evaluationRows.$inferSelect, evaluationId: string, reviewerId: string): BlindRow {
  const [before, after] = [row.before, row.after].map((one) => (one as ModelAnswer | null)?.content ?? "");
  const [first, second] = isLaterFirst(evaluationId, row.n, reviewerId) ? [after, before] : [before, after];
  return {
    n: row.n,
    prompt: row.prompt as unknown as PromptMessage[],
    reference: row.reference,
    first: first ?? "",
    second: second ?? "",
  };
}

function rightOfChoice(choice: (typeof BLIND_CHOICES)[number], laterFirst: boolean) {
  const first = choice === "first" || choice === "both";
  const second = choice === "second" || choice === "both";
  return laterFirst ? { before: second, after: first } : { before: first, after: second };
}

export const reviewEvaluationRow = verb(
  {
    name: "evaluations.review",
    summary: "Say which of both answers to a row is right, and count the evaluation again.",
    description:
      "`choice` is about the answers as `evaluations.nextBlind` shows them to you; `isRight` overrules a row whose models you know. Your word replaces your earlier one and overrules similarity and a judging model. Only rows reviewed blind count as a random check of the others.",
    effect: "write",
    capability: "models:manage",
    input: reviewRowInput,
    reply: okReply,
  },
  async (ctx, { evaluationId, n, choice, isRight }) => {
    const reviewerId = reviewerOf(ctx);
    await readReviewable(ctx, evaluationId);
    const record = await lockEvaluation(ctx, evaluationId);
    if (!record) throw notFound("The evaluation");
    const [row] = (await answeredRows(ctx, evaluationId)).filter((one) => one.n === n);
    if (!row) throw new ServiceError("not_found", "The row was not found, or has no answers.");
    const right = choice === undefined ? isRight! : rightOfChoice(choice, isLaterFirst(evaluationId, n, reviewerId));
    const values = {
      isRightBefore: right.before,
      isRightAfter: right.after,
      isRandom: choice !== undefined,
    };
    await ctx.db
      .insert(evaluationReviews)
      .values({ projectId: ctx.projectId, evaluationId, n, reviewerId, ...values })
      .onConflictDoUpdate({
        target: [
          evaluationReviews.projectId,
          evaluationReviews.evaluationId,
          evaluationReviews.n,
          evaluationReviews.reviewerId,
        ],
        // A row that was reviewed blind stays a random one, whatever its reviewer says of it later.
        set: { ...values, isRandom: sql`${evaluationReviews.isRandom} or excluded.is_random`, createdAt: NOW },
      });
    await recountReviewed(ctx, record, n);
    await recountJudging(ctx, evaluationId);
    auditNote(ctx, { target: { type: "evaluation", id: evaluationId }, after: { n, ...values } });
    return { ok: true as const };
  },
);
