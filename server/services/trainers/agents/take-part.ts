import { and, eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainerCommandParts, trainerCommands } from "@/db/schema";
import { inTransaction } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { storable } from "../storable-value";
import type { Agent } from "./authenticate-agent";
import { announce } from "./news";

const CHARACTERS_MAX = 4_000_000;
const partBody = z.object({ seq: z.int().min(1), text: z.string().max(CHARACTERS_MAX) });

/**
 * Stores a part of an answer; an empty one says that the agent is still working on it. Throws `not_found` once nobody is
 * waiting for the answer, so that the agent ends it.
 */
export async function takePart(db: Db, agent: Agent, commandId: string, body: unknown) {
  const { seq, text } = partBody.parse(body);
  await inTransaction({ db }, async ({ db: tx }) => {
    const isWaiting = and(
      eq(trainerCommands.id, commandId),
      eq(trainerCommands.trainerId, agent.id),
      eq(trainerCommands.state, "sent"),
    );
    const waiting = await tx
      .update(trainerCommands)
      .set({ sentAt: NOW })
      .where(isWaiting)
      .returning({ id: trainerCommands.id });
    if (waiting.length === 0) throw notFound("The command");
    if (text === "") return;
    await tx
      .insert(trainerCommandParts)
      .values({ commandId, seq, text: storable(text) })
      .onConflictDoNothing();
  });
  announce(commandId);
  return { accepted: true };
}
