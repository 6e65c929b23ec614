import { and, eq, sql } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound, ServiceError } from "@/server/platform/errors";
import { ruleRunsQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { getRuleRunInput, queuedRuleRunReply, ruleRunReply } from "../schemas";
import { ruleRunJson } from "./rule-run-json";
import { hasNewerRun } from "./started-runs";

export const retryRuleRun = verb(
  {
    name: "ruleRuns.retry",
    summary: "Retry a failed or skipped Rule Run.",
    description:
      "Queues the same Run again: the same snapshot with the same settings. A Run in any other state is a 409, and so is one that a newer Run of the same Rule, settings and snapshot has replaced.",
    effect: "write",
    capability: "diagnostics:write",
    input: getRuleRunInput,
    reply: ruleRunReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: queuedRuleRunReply },
  },
  async (ctx, { runId }) => {
    const mine = and(eq(ruleRuns.projectId, ctx.projectId), eq(ruleRuns.id, runId));
    const [before] = await ctx.db.select().from(ruleRuns).where(mine).for("update");
    if (!before) throw notFound("Rule Run");
    if (before.status !== "failed" && before.status !== "skipped")
      throw new ServiceError("conflict", `Only a failed or skipped Run can be retried; this one is ${before.status}.`);
    const [newer] = await ctx.db.execute(
      sql`select 1 from rule_runs r where r.project_id = ${ctx.projectId} and r.id = ${runId} and ${hasNewerRun}`,
    );
    if (newer)
      throw new ServiceError("conflict", "A newer Run of the same Rule, settings and snapshot has replaced it.");
    const [row] = await ctx.db
      .update(ruleRuns)
      .set({ status: "queued", skipReason: null, errorMessage: null, startedAt: null, finishedAt: null })
      .where(mine)
      .returning();
    if (!row) throw new Error("The update of a locked Run returned no row.");
    auditNote(ctx, { before: { status: before.status }, after: { status: "queued" } });
    // A person is waiting for it, whatever its origin.
    await emit(ctx.db, ruleRunsQueued.create({ projectId: ctx.projectId, runIds: [runId], origin: "on_demand" }));
    return { run: ruleRunJson(row) };
  },
);
