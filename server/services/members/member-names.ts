import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { NamedActor } from "./schemas";

/** A member's name; without one, their address up to the @. */
export const MEMBER_NAME = sql`coalesce(nullif(trim(u.name), ''), split_part(u.email, '@', 1))`;

/** Returns the names of those who are members of the project. */
export async function memberNames(ctx: Ctx, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await ctx.db.execute<{ id: string; name: string }>(sql`
    select u.id, ${MEMBER_NAME} as name from users u join memberships m on m.user_id = u.id
    where m.project_id = ${ctx.projectId} and u.id = any(${textArray([...new Set(userIds)])})`);
  return new Map([...rows].map(({ id, name }) => [id, name]));
}

type Actor = Omit<NamedActor, "name">;

/** Returns a function that adds members' names to those who did something. */
export async function namedActors(ctx: Ctx, actors: readonly Actor[]) {
  const isMember = ({ kind, id }: Actor) => (kind === "user" && id !== null ? [id] : []);
  const names = await memberNames(ctx, actors.flatMap(isMember));
  return (actor: Actor) => ({ ...actor, name: isMember(actor).map((id) => names.get(id) ?? null)[0] ?? null });
}
