import { eq } from "drizzle-orm";
import { z } from "zod";
import { compactions } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { compactionContinued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { compactionReply, updateCompactionInput } from "../schemas";

async function readCompaction({ db, projectId }: Ctx) {
  const [row] = await db.select().from(compactions).where(eq(compactions.projectId, projectId));
  return row ? shown(row) : null;
}

const shown = (row: typeof compactions.$inferSelect) => ({
  state: row.state,
  rowsExamined: row.rowsExamined,
  rowsMoved: row.rowsMoved,
  charactersSaved: row.charactersSaved,
  startedAt: row.createdAt,
  completedAt: row.completedAt,
});

export const getCompaction = verb(
  {
    name: "compaction.get",
    summary: "Get the progress of moving the project's older telemetry to shared content.",
    description:
      "Content shared by several spans or log records is stored once. Older telemetry is moved in the background and stays readable throughout. `null` if the project has no such telemetry.",
    effect: "read",
    capability: "workspace:read",
    input: z.strictObject({}),
    reply: compactionReply,
  },
  async (ctx) => ({ compaction: await readCompaction(ctx) }),
);

export const updateCompaction = verb(
  {
    name: "compaction.update",
    summary: "Pause or continue moving older telemetry to shared content.",
    description: "A pause takes effect after the rows in progress, at most a few megabytes.",
    effect: "write",
    capability: "project:admin",
    input: updateCompactionInput,
    reply: compactionReply,
  },
  async (ctx, { paused }) => {
    const [row] = await ctx.db
      .select({ state: compactions.state })
      .from(compactions)
      .where(eq(compactions.projectId, ctx.projectId))
      .for("no key update");
    if (!row) throw notFound("Compaction");
    if (row.state === "completed") throw new ServiceError("conflict", "All older telemetry has already been moved.");
    const state = paused ? "paused" : "running";
    const [changed] = await ctx.db
      .update(compactions)
      .set({ state })
      .where(eq(compactions.projectId, ctx.projectId))
      .returning();
    if (!paused) await emit(ctx.db, compactionContinued.create({ projectId: ctx.projectId }));
    auditNote(ctx, { target: null, before: row, after: { state } });
    return { compaction: changed ? shown(changed) : null };
  },
);
