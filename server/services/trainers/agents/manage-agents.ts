import { and, eq, isNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { trainerCommands, trainers } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { publicUrl } from "@/server/platform/public-url";
import { okReply } from "@/server/platform/schemas";
import { installationVerb } from "@/server/platform/verb";
import { trainerJson } from "../capabilities";
import { addedTrainerReply, addTrainerInput, trainerIdInput } from "../schemas";
import { newAgentKey } from "./agent-key";

const isAttached = (trainerId: string) => and(eq(trainers.id, trainerId), isNull(trainers.disabledAt));

/** Returns the command that starts an agent on a machine with the trainer. */
const commandFor = (key: string) =>
  `WHETSTONE_TRAINER_KEY=${key} npx whetstone trainer --agent ${publicUrl("").replace(/\/$/, "")}`;

export const addTrainer = installationVerb(
  {
    name: "trainers.add",
    summary: "Add a trainer, or give one a new key.",
    description:
      "The trainer connects to this installation with the key, which is returned only in this response. With `trainerId`, that trainer gets it: it keeps its jobs and checkpoints, and its earlier key stops working.",
    right: "trainers:manage",
    effect: "write",
    input: addTrainerInput,
    reply: addedTrainerReply,
  },
  async (ctx, { name, trainerId }) => {
    const { id, key, ...stored } = newAgentKey(trainerId);
    const values = { ...stored, kind: "agent" as const, name, updatedAt: NOW };
    const [row] = await (trainerId === undefined
      ? ctx.db.insert(trainers).values({ id, ...values })
      : ctx.db
          .update(trainers)
          .set({ ...values, error: null, lastSeenAt: null })
          .where(isAttached(trainerId))
    ).returning();
    if (!row) throw notFound("The trainer");
    auditNote(ctx, { target: { type: "trainer", id: row.id }, after: { name } });
    return { trainer: trainerJson({ ...row, readAt: row.createdAt }), key, command: commandFor(key) };
  },
);

export const removeTrainer = installationVerb(
  {
    name: "trainers.remove",
    summary: "Remove a trainer. Its key stops working immediately.",
    description: "Its unfinished jobs stay as they are, without further updates. What it stores stays on its machine.",
    right: "trainers:manage",
    effect: "write",
    input: trainerIdInput,
    reply: okReply,
  },
  async (ctx, { trainerId }) => {
    const isIt = isAttached(trainerId);
    const [row] = await ctx.db.update(trainers).set({ disabledAt: NOW, updatedAt: NOW }).where(isIt).returning();
    if (!row) throw notFound("The trainer");
    await ctx.db.delete(trainerCommands).where(eq(trainerCommands.trainerId, trainerId));
    auditNote(ctx, { target: { type: "trainer", id: trainerId }, before: { name: row.name }, after: null });
    return { ok: true as const };
  },
);
