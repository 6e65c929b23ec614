import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { fixJson, readFix } from "./fix-rows";
import { insertFix } from "./insert-fix";
import { firstWith, servicesOf } from "./marks";
import { DAYS_SINCE_FIX } from "./measure-fix";
import { changedFixReply, createFixInput, fixReply, type MarkDimension } from "./schemas";

const KINDS = { version: "code", prompt: "prompt", model: null, label: null } as const satisfies Record<
  MarkDimension,
  unknown
>;

export const createFix = verb(
  {
    name: "fixes.create",
    summary: "Watch whether a fix that went out in a version, prompt, model or label lowers a Finding's rate.",
    description: `The watch starts at the first conversation with it, which may be up to ${DAYS_SINCE_FIX} days ago or still to come, and compares the conversations that have it with those before, as \`findings.timeline\` describes. A Finding that is resolved is watched by itself. 409: the same is watched already. 422: the Finding was merged; the value has been in use for longer; or, for the next version, no conversation with the Finding names one.`,
    effect: "write",
    capability: "diagnostics:write",
    input: createFixInput,
    reply: fixReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedFixReply },
  },
  async (ctx, { findingId, by, value, kind = KINDS[by], note }) => {
    const now = await requireFinding(ctx, findingId);
    const startedAt = value === null ? null : await startOf(ctx, by, value, now);
    if (value === null && (await servicesOf(ctx, findingId)).length === 0)
      throw unprocessable("/value", "Conversations with this Finding name no version of the application.");
    const id = await insertFix(ctx, { findingId, by, value, kind, note, startedAt });
    if (id === null) throw new ServiceError("conflict", "This fix of the Finding is watched already.");
    auditNote(ctx, { target: { type: "fix", id }, after: { findingId, by, value, kind } });
    return { fix: fixJson(ctx, await readFix(ctx, id)) };
  },
);

/** Locks a Finding so that it is not merged meanwhile, and returns the time; throws unless it can be watched. */
async function requireFinding(ctx: Ctx, findingId: string): Promise<number> {
  const [row] = await ctx.db
    .select({ mergedIntoId: findings.mergedIntoId, now: sql<number>`${NOW}`.mapWith(Number) })
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)))
    .for("share");
  if (!row) throw notFound("Finding");
  if (row.mergedIntoId !== null)
    throw unprocessable("/findingId", "The Finding was merged into another one. Watch that one.");
  return row.now;
}

async function startOf(ctx: Ctx, by: MarkDimension, value: string, now: number): Promise<number | null> {
  const first = await firstWith(ctx, { by, value }, 0);
  if (first !== null && first < now - DAYS_SINCE_FIX * DAY_MS)
    throw unprocessable("/value", `Conversations have had it for longer than ${DAYS_SINCE_FIX} days.`);
  return first;
}
