import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { memberships, projects, sampleProjects, sessions, users } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { countKeysOf } from "@/server/services/api-keys";
import { type Person, type PersonImpact, PROJECTS_SHOWN } from "./schemas";

const numberOrNull = (value: unknown) => (value === null ? null : Number(value));

/** Qualified by hand: Drizzle omits the table name in single-table queries, and subqueries would resolve their own `id`. */
const personId = sql.raw("users.id");

/** Condition: the membership `m` belongs to a project other than a sample, which does not count. */
const isNoSample = sql`not exists (select 1 from ${sampleProjects} s where s.project_id = m.project_id)`;

/** The columns of a person in replies. */
export const personColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  createdAt: users.createdAt,
  disabledAt: users.disabledAt,
  installationOwner: users.installationOwner,
  mayCreateProjects: users.mayCreateProjects,
  // Includes ended sessions: their rows stay.
  lastSignInAt: sql<number | null>`(
    select max(s.created_at) from ${sessions} s where s.user_id = ${personId})`.mapWith(numberOrNull),
  projectCount: sql<number>`(
    select count(*)::int from ${memberships} m where m.user_id = ${personId} and ${isNoSample})`.mapWith(Number),
  projects: sql<Person["projects"]>`(
    select coalesce(json_agg(shown), '[]'::json) from (
      select p.id, p.name, m.role from ${memberships} m join ${projects} p on p.id = m.project_id
      where m.user_id = ${personId} and ${isNoSample} order by lower(p.name), p.id limit ${PROJECTS_SHOWN}
    ) shown)`,
};

export async function readPerson(db: Db, userId: string): Promise<Person> {
  const [found] = await db.select(personColumns).from(users).where(eq(users.id, userId));
  if (!found) throw notFound("The person");
  return found;
}

/** Returns the projects without another owner who can sign in, by name. */
export const soleOwnerOf = (db: Db, userId: string) =>
  db
    .select({ id: projects.id, name: projects.name })
    .from(memberships)
    .innerJoin(projects, eq(projects.id, memberships.projectId))
    .where(
      and(
        eq(memberships.userId, userId),
        eq(memberships.role, "owner"),
        sql`not exists (
          select 1 from ${memberships} o join ${users} u on u.id = o.user_id
          where o.project_id = ${projects.id} and o.role = 'owner' and o.user_id <> ${userId} and u.disabled_at is null)`,
      ),
    )
    .orderBy(sql`lower(${projects.name})`, projects.id);

export async function impactOf(db: Db, userId: string): Promise<PersonImpact> {
  const living = and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(sessions.expiresAt, NOW));
  return {
    sessions: await db.$count(sessions, living),
    activeKeyCount: await countKeysOf(db, userId, null),
    soleOwnerOf: await soleOwnerOf(db, userId),
  };
}
