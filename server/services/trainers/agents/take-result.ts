import { and, eq, ne } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainerCommands } from "@/db/schema";
import { storableValue } from "../storable-value";
import type { Agent } from "./authenticate-agent";
import { commandResult, withoutSecrets } from "./commands";
import { announce } from "./news";

/** Stores a command's result once. A repeated result, or one of a forgotten command, changes nothing. */
export async function takeResult(db: Db, agent: Agent, commandId: string, body: unknown) {
  const result = storableValue(commandResult.parse(body)) as Record<string, unknown>;
  const taken = await db
    .update(trainerCommands)
    .set({ state: "done", result, doneAt: NOW, payload: withoutSecrets() })
    .where(
      and(
        eq(trainerCommands.id, commandId),
        eq(trainerCommands.trainerId, agent.id),
        ne(trainerCommands.state, "done"),
      ),
    )
    .returning({ id: trainerCommands.id });
  announce(commandId);
  return { accepted: taken.length > 0 };
}
