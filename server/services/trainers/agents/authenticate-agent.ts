import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { trainers } from "@/db/schema";
import { notFound, ServiceError } from "@/server/platform/errors";
import { idOfAgentKey, isKeyOf } from "./agent-key";

export type Agent = { id: string; capabilitiesHash: string | null };

/** The same for every reason, so that trying keys reveals nothing about them. */
export const refused = () =>
  new ServiceError("unauthenticated", "This trainer's key is unknown, or the trainer was removed.");

/** Throws `not_found`, as for an unknown address, unless an agent is attached. */
async function requireAnyAgent(db: Db): Promise<void> {
  const isAgent = and(eq(trainers.kind, "agent"), isNull(trainers.disabledAt));
  const [any] = await db.select({ id: trainers.id }).from(trainers).where(isAgent).limit(1);
  if (!any) throw notFound("This address");
}

/** Returns the agent that the bearer token belongs to. */
export async function authenticateAgent(db: Db, authorization: string | null): Promise<Agent> {
  const [, key = ""] = /^Bearer (\S{1,200})$/i.exec(authorization ?? "") ?? [];
  const id = idOfAgentKey(key);
  const [row] =
    id === undefined
      ? []
      : await db
          .select({ id: trainers.id, keyHash: trainers.keyHash, capabilitiesHash: trainers.capabilitiesHash })
          .from(trainers)
          .where(and(eq(trainers.id, id), isNull(trainers.disabledAt)));
  if (row?.keyHash && isKeyOf(key, row.keyHash)) return row;
  // Last, because an answer of a deployment waits for three calls of its agent.
  await requireAnyAgent(db);
  throw refused();
}
