import { and, eq, isNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { trainerCommands, trainers } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound, ServiceError } from "@/server/platform/errors";
import { publicUrl } from "@/server/platform/public-url";
import { okReply } from "@/server/platform/schemas";
import { installationVerb } from "@/server/platform/verb";
import { newAgentKey } from "./agent-key";
import { trainerJson } from "./capabilities";
import { addedTrainerReply, addTrainerInput, trainerIdInput } from "./schemas";

/** Returns the command that starts an agent on a machine with the trainer. */
const commandFor = (key: string) =>
  `WHETSTONE_TRAINER_KEY=${key} npm run trainer -- --agent ${publicUrl("").replace(/\/$/, "")}`;

export const addTrainer = installationVerb(
  {
    name: "trainers.add",
    summary: "Add a trainer that connects to this installation, for a machine that the installation can't reach.",
    description: "The key is returned only in this response.",
    right: "trainers:manage",
    effect: "write",
    input: addTrainerInput,
    reply: addedTrainerReply,
  },
  async (ctx, { name }) => {
    const { key, ...stored } = newAgentKey();
    const [row] = await ctx.db
      .insert(trainers)
      .values({ ...stored, kind: "agent", name, updatedAt: NOW })
      .returning();
    if (!row) throw new Error("The insert of a trainer returned no row.");
    auditNote(ctx, { target: { type: "trainer", id: row.id }, after: { name } });
    return { trainer: trainerJson({ ...row, readAt: row.createdAt }), key, command: commandFor(key) };
  },
);

export const removeTrainer = installationVerb(
  {
    name: "trainers.remove",
    summary: "Remove a trainer that connects to this installation. Its key stops working immediately.",
    description: "Its unfinished jobs stay as they are, without further updates. What it stores stays on its machine.",
    right: "trainers:manage",
    effect: "write",
    input: trainerIdInput,
    reply: okReply,
  },
  async (ctx, { trainerId }) => {
    const isIt = and(eq(trainers.id, trainerId), isNull(trainers.disabledAt));
    const [row] = await ctx.db.select().from(trainers).where(isIt).for("update");
    if (!row) throw notFound("The trainer");
    if (row.kind === "url") {
      throw new ServiceError(
        "unprocessable",
        "This trainer is attached with TRAINER_URL. Unset it to remove the trainer.",
      );
    }
    await ctx.db.update(trainers).set({ disabledAt: NOW, updatedAt: NOW }).where(isIt);
    await ctx.db.delete(trainerCommands).where(eq(trainerCommands.trainerId, trainerId));
    auditNote(ctx, { target: { type: "trainer", id: trainerId }, before: { name: row.name }, after: null });
    return { ok: true as const };
  },
);
