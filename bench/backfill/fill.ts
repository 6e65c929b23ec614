import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { prepareDatabase } from "@/db/prepare";
import * as schema from "@/db/schema";
import type { ProjectId } from "@/server/platform/context";
import { fill, PROJECTS } from "../scale/fill";
import { makeTemplates } from "../scale/templates";

export const PROJECT = PROJECTS.big;
/** The share of the copies that the big project gets. */
const SHARE = 0.8;
const TEMPLATE_PROJECT = "prj_templates";
const BUILDING = { maintenance_work_mem: "512MB", work_mem: "128MB" };

/**
 * Creates a database in which `PROJECT` has about `conversations` conversations and automatic scheduling is off. No Rule has
 * read them unless they are `diagnosed`.
 */
export async function fillForBackfill(
  url: string,
  conversations: number,
  progress: (line: string) => void,
  { diagnosed = false } = {},
) {
  await prepareDatabase({ url, ownerUrl: undefined });
  const sql = postgres(url, { max: 2, onnotice: () => {}, connection: BUILDING });
  const services = postgres(url, { max: 4, onnotice: () => {} });
  try {
    progress("making templates with the product's own ingest and projector");
    await sql`insert into projects (id, name) values (${TEMPLATE_PROJECT}, 'Templates')`;
    const db = drizzle(services, { schema });
    const templates = await makeTemplates({
      db,
      projectId: TEMPLATE_PROJECT as ProjectId,
      actor: { kind: "operator" },
    });
    // The copies are assigned at random, so the project gets only about that many.
    const copies = Math.ceil(conversations / SHARE);
    await fill(sql, { conversations: copies, templates, templateProject: TEMPLATE_PROJECT }, progress);
    await sql`
      insert into diagnostic_settings (project_id, automatic_scheduling_enabled, updated_at)
      select id, false, 0 from projects`;
    if (!diagnosed) await forgetDiagnoses(sql);
    await sql`vacuum analyze`;
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), services.end({ timeout: 5 })]);
  }
}

export async function conversationsOf(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::int as count from conversations where project_id = ${PROJECT}`;
  return row?.count ?? 0;
}

/** Deletes everything that Rules have read and found. */
export async function forgetDiagnoses(sql: postgres.Sql) {
  await sql`truncate rule_runs, occurrences, findings, backfill_counts, backfills cascade`;
  await sql`update conversations set finding_count = 0 where finding_count <> 0`;
}

/** Reverses the order of conversations in time, in which a backfill scans them. A second call restores it. */
export async function mirrorTime(sql: postgres.Sql) {
  await sql`
    update conversations c set last_activity_at = e.first + e.last - c.last_activity_at
    from (select min(last_activity_at) as first, max(last_activity_at) as last from conversations where project_id = ${PROJECT}) e
    where c.project_id = ${PROJECT}`;
}
