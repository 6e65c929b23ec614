import { and, eq, inArray } from "drizzle-orm";
import type { Db } from "@/db/client";
import { datasetImports } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../datasets/read-dataset";
import {
  type DatasetImport,
  importInput,
  importReply,
  importsReply,
  listImportsInput,
  UNFINISHED_IMPORT_STATUSES,
} from "./schemas";

export type ImportRow = typeof datasetImports.$inferSelect;

export const isFinished = ({ status }: Pick<ImportRow, "status">) =>
  !(UNFINISHED_IMPORT_STATUSES as readonly string[]).includes(status);

/** Restricts a query to one import of the project. */
export const isImport = ({ projectId }: Ctx, importId: string) =>
  and(eq(datasetImports.projectId, projectId), eq(datasetImports.id, importId));

/** The number of rows done in the current phase: an import that validates the whole file before storing reads it twice. */
const rowsOfPhase = ({ status, rowsDone, rowsValid, rejected }: ImportRow) =>
  status === "validating" ? rowsValid + rejected : rowsDone;

function etaOf(row: ImportRow): number | null {
  const rows = rowsOfPhase(row);
  if (isFinished(row) || row.status === "cancelling" || !row.rate || rows === 0) return null;
  const left = (Math.max(0, row.bytesTotal - row.bytesDone) / Math.max(1, row.bytesDone)) * rows;
  return Math.round((left / row.rate) * 1000);
}

export const importJson = (row: ImportRow) => ({ ...row, etaMs: etaOf(row) }) as DatasetImport;

export async function readImport(ctx: Ctx, datasetId: string, importId: string): Promise<ImportRow> {
  const [row] = await ctx.db
    .select()
    .from(datasetImports)
    .where(and(isImport(ctx, importId), eq(datasetImports.datasetId, datasetId)));
  if (!row) throw notFound("The import");
  return row;
}

export const getImport = verb(
  {
    name: "datasetImports.get",
    summary: "Get an import with its progress and row counts.",
    description:
      "`status` says what it is doing, `bytesDone` of `bytesTotal` how far it is. `rejected` rows are unusable: the first 100 are in `errors`, all of them in `GET …/rejects`. After `failed` and `cancelled`, `error` says what stays stored.",
    effect: "read",
    capability: "workspace:read",
    input: importInput,
    reply: importReply,
  },
  async (ctx, { datasetId, importId }) => {
    await readDatasetRow(ctx, datasetId);
    return { import: importJson(await readImport(ctx, datasetId, importId)) };
  },
);

export const listImports = verb(
  {
    name: "datasetImports.list",
    summary: "List a Dataset's imports, newest first, with their progress.",
    description:
      "Each with its `status`, its counts of rows, and the version that contains what it stored. `etaMs` is the time that its status is expected to take still (`null` when unknown).",
    effect: "read",
    capability: "workspace:read",
    input: listImportsInput,
    reply: importsReply,
  },
  async (ctx, { datasetId, limit, cursor }) => {
    await readDatasetRow(ctx, datasetId);
    const { rows, nextCursor } = await listPage(
      { name: "dataset-imports", table: datasetImports, filters: { project: ctx.projectId, datasetId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(datasetImports)
          .where(and(eq(datasetImports.projectId, ctx.projectId), eq(datasetImports.datasetId, datasetId), after)),
    );
    return { imports: rows.map(importJson), pagination: { limit, nextCursor } };
  },
);

/** Returns the imports in progress in all projects, oldest first. */
export const unfinishedImports = (db: Db) =>
  db
    .select({ id: datasetImports.id, projectId: datasetImports.projectId })
    .from(datasetImports)
    .where(inArray(datasetImports.status, [...UNFINISHED_IMPORT_STATUSES]))
    .orderBy(datasetImports.createdAt, datasetImports.id);
