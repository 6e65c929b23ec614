import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { prepareDatabase } from "@/db/prepare";
import * as schema from "@/db/schema";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { recountUserDays } from "@/server/services/costs";
import { measureStorage } from "@/server/services/stored-sizes";
import { foldDailyCosts } from "@/server/services/telemetry";
import { Cluster, urlOf } from "../../scripts/lib/database/postgres.mjs";
import { fillExamples } from "../datasets/fill-examples";
import { fillAround } from "./around";
import { fill, PROJECTS } from "./fill";
import { ingestGiants } from "./giants";
import { makeTemplates } from "./templates";

/** Incremented when the contents change: an existing data set of another version is rebuilt. */
const VERSION = 2;
/** Of a Dataset. `bench -- datasets` measures larger ones. */
const EXAMPLES = 100_000;
const TEMPLATE_PROJECT = "prj_templates";

type Kept = { version: number; conversations: number };
export type DataSet = { url: string; stop: () => Promise<void> };

/**
 * Opens the data set in a PostgreSQL of its own in `folder`, migrated to this version's schema, or creates it. It is filled
 * without durability and then runs with the product's settings.
 */
export async function openDataSet(
  folder: string,
  { conversations, fresh }: { conversations: number; fresh: boolean },
  progress: (line: string) => void,
): Promise<DataSet> {
  const note = path.join(folder, "data-set.json");
  const wanted: Kept = { version: VERSION, conversations };
  const isThere = !fresh && existsSync(note) && readFileSync(note, "utf8") === JSON.stringify(wanted);
  const cluster = (throwaway: boolean) =>
    new Cluster(path.join(folder, "postgres"), { log: path.join(folder, "postgres.log"), throwaway });

  if (!isThere) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    const building = cluster(true);
    await building.create();
    const server = await building.start();
    try {
      await make(urlOf(building.access, "whetstone"), conversations, progress);
    } finally {
      await server.stop();
    }
    writeFileSync(note, JSON.stringify(wanted));
  }

  const kept = cluster(false);
  const server = await kept.start();
  const url = urlOf(kept.access, "whetstone");
  await prepareDatabase({ url, ownerUrl: undefined });
  await countByUser(url, progress);
  return { url, stop: () => server.stop() };
}

/** As the worker does, also after an update. */
async function countByUser(url: string, progress: (line: string) => void) {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const { days } = await recountUserDays(drizzle(client, { schema }), { forMs: Number.POSITIVE_INFINITY });
    progress(`${days} days counted by user`);
    await client`vacuum analyze daily_user_costs, stale_user_days`;
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Settings for building indexes; measurements use the server's own. */
const BUILDING = { maintenance_work_mem: "1GB", work_mem: "256MB", max_parallel_maintenance_workers: "2" };

async function make(url: string, conversations: number, progress: (line: string) => void) {
  await prepareDatabase({ url, ownerUrl: undefined });
  const sql = postgres(url, { max: 2, onnotice: () => {}, connection: BUILDING });
  // A separate client: Drizzle changes how a client serializes JSON.
  const services = postgres(url, { max: 4, onnotice: () => {} });
  try {
    const db = drizzle(services, { schema });
    const ctxOf = (projectId: string): Ctx => ({ db, projectId: projectId as ProjectId, actor: { kind: "operator" } });
    progress("making templates with the product's own ingest, projector and Rules");
    await sql`insert into projects (id, name) values (${TEMPLATE_PROJECT}, 'Templates')`;
    const templates = await makeTemplates(ctxOf(TEMPLATE_PROJECT));
    await fill(sql, { conversations, templates, templateProject: TEMPLATE_PROJECT }, progress);
    await fillAround(sql);
    progress("adding up the days' costs");
    while ((await foldDailyCosts(db)) > 0);
    progress("a Dataset, vacuum analyze");
    await fillExamples(sql, db, [{ projectId: PROJECTS.big, datasetId: "ds_scale", examples: EXAMPLES }], progress);
    progress("one very long trace and one very long conversation");
    await ingestGiants(ctxOf(PROJECTS.big));
    progress("measuring stored sizes");
    await measureStorage(ctxOf(PROJECTS.big));
    await sql`vacuum analyze`;
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), services.end({ timeout: 5 })]);
  }
}
