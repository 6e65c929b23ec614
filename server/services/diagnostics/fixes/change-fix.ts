import { and, isNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { fixes } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { fixJson, isFix, readFix } from "./fix-rows";
import { changedFixReply, fixIdInput, fixReply, updateFixInput } from "./schemas";

const spec = {
  effect: "write",
  capability: "diagnostics:write",
  reply: fixReply,
  writeOnlyReply: { unless: ["diagnostics:read"] as const, reply: changedFixReply },
} as const;

export const updateFix = verb(
  {
    ...spec,
    name: "fixes.update",
    summary: "Say what a fix changed.",
    description: "Its kind and its note. What is compared never changes: watch another fix for that.",
    input: updateFixInput,
  },
  async (ctx, { fixId, ...changes }) => {
    const { row } = await readFix(ctx, fixId);
    const { kind = row.kind, note = row.note } = changes;
    await ctx.db.update(fixes).set({ kind, note }).where(isFix(ctx, fixId));
    auditNote(ctx, { before: { kind: row.kind }, after: { kind } });
    return { fix: fixJson(ctx, await readFix(ctx, fixId)) };
  },
);

export const stopFix = verb(
  {
    ...spec,
    name: "fixes.stop",
    summary: "Stop watching a fix.",
    description: "Its last comparison stays. 409: it has ended already.",
    input: fixIdInput,
  },
  async (ctx, { fixId }) => {
    await readFix(ctx, fixId);
    const [stopped] = await ctx.db
      .update(fixes)
      .set({ endedAt: NOW, endReason: "stopped", dueAt: null })
      .where(and(isFix(ctx, fixId), isNull(fixes.endedAt)))
      .returning({ id: fixes.id });
    if (!stopped) throw new ServiceError("conflict", "This fix is no longer watched.");
    auditNote(ctx, { before: { watched: true }, after: { watched: false } });
    return { fix: fixJson(ctx, await readFix(ctx, fixId)) };
  },
);
