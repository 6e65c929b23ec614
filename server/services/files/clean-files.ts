import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { files, projects } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { fileStore } from "@/server/platform/files";
import { logger } from "@/server/platform/logging/log";
import { erase, markForErasure, staleFiles } from "./erase-files";

/** Longer than any request may last, so nothing in use is removed. */
const STALE = { uploadMs: DAY_MS, otherMs: 2 * HOUR_MS };
const MISSING_LOGGED = 20;

/** Counts of one cleaning. `missing`: rows whose content is not in the store, which no cleaning can repair. */
export type Cleaned = { unfinished: number; orphans: number; missing: number };

async function eraseUnfinished(ctx: Ctx): Promise<number> {
  const stale = await staleFiles(ctx, STALE);
  for (const row of stale) {
    const marked = row.state === "deleting" ? row : await inTransaction(ctx, (tx) => markForErasure(tx, row.id));
    if (marked) await erase(ctx, marked);
  }
  return stale.length;
}

/** Returns the uploads and objects of a project that have a row. */
async function knownKeys(ctx: Ctx) {
  const rows = await ctx.db
    .select({ id: files.id, object: files.object, state: files.state })
    .from(files)
    .where(eq(files.projectId, ctx.projectId));
  return {
    uploads: new Set(rows.map(({ id }) => id)),
    objects: new Set(rows.map(({ object }) => object)),
    stored: rows.flatMap(({ id, object, state }) => (state === "stored" && object ? [{ id, object }] : [])),
  };
}

/** Reconciles the store with the rows: removes content without a row after a day, and logs rows without content. */
async function compareStore(ctx: Ctx): Promise<Pick<Cleaned, "orphans" | "missing">> {
  const store = fileStore();
  const oldBefore = (await databaseNow(ctx.db)) - DAY_MS;
  // Read before the store is listed: everything stored by then must show up in the list.
  const { stored } = await knownKeys(ctx);
  const found = new Set<string>();
  const old: { key: string; last: string }[] = [];
  for await (const { key, modifiedAt } of store.list(`${ctx.projectId}/`)) {
    const last = key.slice(key.lastIndexOf("/") + 1);
    found.add(last);
    if (modifiedAt < oldBefore) old.push({ key, last });
  }
  const { uploads, objects } = await knownKeys(ctx);
  const orphans = old.filter(({ last }) => !objects.has(last) && !uploads.has(last.replace(/\.tail-\d+$/, "")));
  for (const { key } of orphans) await (key.includes("/uploads/") ? store.abandon(key) : store.remove(key));

  const lost = stored.filter(({ object }) => !found.has(object)).map(({ id }) => id);
  const missing = lost.length === 0 ? [] : await stillStored(ctx, lost);
  if (missing.length > 0) {
    const { projectId } = ctx;
    logger("files").error({ projectId, files: missing.slice(0, MISSING_LOGGED) }, "Files are missing from the store.");
  }
  return { orphans: orphans.length, missing: missing.length };
}

/** Returns the files that were not deleted while the store was listed. */
async function stillStored(ctx: Ctx, ids: readonly string[]) {
  const rows = await ctx.db
    .select({ id: files.id })
    .from(files)
    .where(
      and(
        eq(files.projectId, ctx.projectId),
        inArray(files.id, [...ids]),
        eq(files.state, "stored"),
        isNotNull(files.object),
      ),
    );
  return rows.map(({ id }) => id);
}

/** Erases what interrupted uploads and deletions of a project left behind, and reports where rows and store disagree. */
export async function cleanFiles(ctx: Ctx): Promise<Cleaned> {
  const unfinished = await eraseUnfinished(ctx);
  return { unfinished, ...(await compareStore(ctx)) };
}

/** Erases the content of deleted projects, written by requests that outlived them. Returns the number of projects. */
export async function cleanFilesOfNoProject(db: Db): Promise<number> {
  const store = fileStore();
  const oldBefore = (await databaseNow(db)) - DAY_MS;
  let cleaned = 0;
  for await (const project of store.projects()) {
    const [known] = await db.select({ id: projects.id }).from(projects).where(eq(projects.id, project));
    if (known || !project.startsWith("prj_")) continue;
    let isRecent = false;
    for await (const { modifiedAt } of store.list(`${project}/`)) isRecent ||= modifiedAt >= oldBefore;
    if (isRecent) continue;
    await store.removeProject(project);
    cleaned += 1;
  }
  return cleaned;
}
