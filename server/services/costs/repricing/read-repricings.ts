import { and, eq, type SQL } from "drizzle-orm";
import { apiKeys, repricings, users } from "@/db/schema";
import { auditActor } from "@/server/platform/audit";
import type { Actor, Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { pricesVersionOf } from "../prices-version";
import type { Repricing } from "../schemas";
import { bothSides } from "./plan-repricing";

export function actorColumns(actor: Actor) {
  const { id } = auditActor(actor);
  return { actorKind: actor.kind, actorId: id };
}

export async function readRepricing(ctx: Ctx, id: string): Promise<Repricing> {
  const [found] = await readRepricings(ctx, eq(repricings.id, id));
  if (!found) throw notFound("Repricing");
  return found;
}

/** Returns repricings of the project with the requester's name. */
export async function readRepricings(
  { db, projectId }: Ctx,
  condition: SQL | undefined,
  { order = [], limit = 1 }: { order?: SQL[]; limit?: number } = {},
): Promise<Repricing[]> {
  const rows = await db
    .select({ row: repricings, email: users.email, key: apiKeys.name })
    .from(repricings)
    .leftJoin(users, and(eq(repricings.actorKind, "user"), eq(users.id, repricings.actorId)))
    .leftJoin(
      apiKeys,
      and(
        eq(repricings.actorKind, "apiKey"),
        eq(apiKeys.projectId, repricings.projectId),
        eq(apiKeys.id, repricings.actorId),
      ),
    )
    .where(and(eq(repricings.projectId, projectId), condition))
    .orderBy(...order)
    .limit(limit);
  return rows.map(({ row, email, key }) => ({
    ...row,
    ...bothSides({
      ...row,
      calls: row.callsExamined,
      costBefore: Number(row.costBefore),
      costAfter: Number(row.costAfter),
    }),
    pricesVersion: pricesVersionOf(row),
    undoneBy: row.undoneById,
    actorName: email ?? key,
  }));
}
