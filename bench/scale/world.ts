import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Db } from "@/db/client";
import * as schema from "@/db/schema";
import type { AccountCtx, Ctx, ProjectId } from "@/server/platform/context";
import { OWNER } from "./around";
import { PROJECTS } from "./fill";

export type Query = { query: string; params: unknown[] };
type At = { time: number; id: string };

/** Access to the data set for a benchmark: contexts of its projects, and sample rows. */
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Distinct samples per kind. */
export const SAMPLES = 20;
const SAMPLED_ROWS = 20_000;

export async function openWorld(url: string, { genericPlans = false } = {}) {
  const connection = genericPlans ? { plan_cache_mode: "force_generic_plan" } : {};
  const client = postgres(url, { max: 10, onnotice: () => {}, connection });
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  let heard: Query[] | undefined;
  const db: Db = drizzle(client, { schema, logger: { logQuery: (query, params) => heard?.push({ query, params }) } });
  const of = (projectId: string): Ctx => ({ db, projectId: projectId as ProjectId, actor: { kind: "operator" } });
  const account: AccountCtx = { db, userId: OWNER, sessionId: "ses_scale_mine_1" };

  /** Returns rows of a table of the largest project, spread evenly over a sample in the order of `time`. */
  const spread = async (table: string, time: string, id = "id", where?: string): Promise<At[]> => {
    const [size] = await sql.unsafe(`select reltuples as rows from pg_class where oid = '${table}'::regclass`);
    const percent = where === undefined ? Math.min(100, (100 * SAMPLED_ROWS) / Math.max(1, size!.rows)) : 100;
    const rows = await sql.unsafe<{ time: string; id: string }[]>(`
      with picked as (
        select ${time} as time, ${id} as id from ${table} tablesample system (${percent})
        where project_id = '${PROJECTS.big}' and ${where ?? "true"}
      ),
      numbered as (select *, ntile(${SAMPLES}) over (order by time) as part from picked)
      select distinct on (part) time, id from numbered order by part, md5(id)`);
    return rows.map((row) => ({ time: Number(row.time), id: row.id }));
  };
  const values = async (query: string): Promise<string[]> =>
    (await sql.unsafe(query)).map((row) => String(Object.values(row)[0]));

  return {
    sql,
    big: of(PROJECTS.big),
    tiny: of("prj_scale_tiny_7"),
    account,
    operator: { db, operator: true as const },
    spread,
    values,
    /** Records the statements that `work` sends. */
    async listen(work: () => Promise<unknown>): Promise<Query[]> {
      heard = [];
      await work().finally(() => {});
      const all = heard;
      heard = undefined;
      return all;
    },
    close: () => Promise.all([client.end({ timeout: 5 }), sql.end({ timeout: 5 })]),
  };
}

/** Returns a cursor of the same list after another row, as a person on page 400 would have. */
export function cursorAt(nextCursor: string, { time, id }: At) {
  const [bound] = JSON.parse(Buffer.from(nextCursor, "base64url").toString());
  return Buffer.from(JSON.stringify([bound, [time, id]])).toString("base64url");
}
