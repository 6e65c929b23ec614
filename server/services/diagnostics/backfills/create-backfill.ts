import { backfills } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { backfillRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { backfillRule, requireEnabled } from "./backfill-rule";
import { readBackfill } from "./read-backfills";
import { countInWindow } from "./scan-conversations";
import { backfillReply, createBackfillInput, requestedBackfillReply } from "./schemas";

export const createBackfill = verb(
  {
    name: "backfills.create",
    summary: "Run one Rule over the conversations of a time window, in the background.",
    description:
      "Reads conversations whose last activity lies in `[startMs, endMs)` (Unix ms), newest first, at most `maxConversations`, with the Rule's settings at the time of the request. A conversation that already has a Run for the same question (same Rule, version, settings and activity) is not checked again: its Run is `skipped` and refers to the existing one. Backfills send no alerts. A window that ends before it starts is a 400. Rejected (409) while the Rule is turned off. Several backfills can run at the same time.",
    effect: "write",
    capability: "diagnostics:write",
    input: createBackfillInput,
    reply: backfillReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: requestedBackfillReply },
  },
  async (ctx, input) => {
    const { configured, window } = await backfillRule(ctx, input);
    requireEnabled(configured);
    const id = newId("bf");
    const options = { ruleId: configured.rule.id, configurationRevision: configured.revision, ...window };
    await ctx.db.insert(backfills).values({
      projectId: ctx.projectId,
      id,
      scanStatus: "queued",
      ...options,
      conversationsExpected: await countInWindow(ctx, window),
      actorKind: ctx.actor.kind,
      actorId: auditActor(ctx.actor).id,
    });
    auditNote(ctx, { target: { type: "backfill", id }, after: options });
    await emit(ctx.db, backfillRequested.create({ projectId: ctx.projectId, backfillId: id }));
    return { backfill: await readBackfill(ctx, id) };
  },
);
