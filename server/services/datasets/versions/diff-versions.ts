import { and, sql } from "drizzle-orm";
import { rowsOf } from "@/db/rows";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { codecOf, comparableText } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../datasets/read-dataset";
import { EXAMPLE_COLUMNS, exampleJson, ofDataset } from "../examples/lists/read-example";
import { saidWithTools } from "../examples/revisions";
import { diffReply, diffVersionsInput } from "./schemas";

/** Reads the revisions for a page in one query. Returns a function that looks one of them up. */
async function revisionsOf(ctx: Ctx, datasetId: string, found: readonly Found[]) {
  const wanted = found.flatMap(({ example_id, before, after }) =>
    [before, after].flatMap((version) => (version === null ? [] : [{ id: example_id, version }])),
  );
  const rows = await ctx.db
    .select(EXAMPLE_COLUMNS)
    .from(exampleRevisions)
    .where(
      and(
        ofDataset(ctx, datasetId),
        sql`(${exampleRevisions.exampleId}, ${exampleRevisions.fromVersion}) in (
          select t.id, t.version from ${rowsOf(wanted, "id text, version int")})`,
      ),
    );
  const byKey = new Map(rows.map((row) => [`${row.id} ${row.version}`, exampleJson(row)]));
  return (id: string, version: number | null) => (version === null ? null : (byKey.get(`${id} ${version}`) ?? null));
}

type Found = { example_id: string; before: number | null; after: number | null };

export const diffVersions = verb(
  {
    name: "datasetVersions.diff",
    summary: "Compare two versions of a Dataset: what was added, removed and changed.",
    description: "`from` and `to` are version numbers in any order; 0 is the empty Dataset before the first.",
    effect: "read",
    capability: "workspace:read",
    input: diffVersionsInput,
    reply: diffReply,
  },
  async (ctx, { datasetId, from, to, limit, cursor }) => {
    const dataset = await readDatasetRow(ctx, datasetId);
    for (const number of [from, to]) if (number > dataset.version) throw notFound(`Version ${number}`);
    const { encode, decode } = codecOf("diff", { project: ctx.projectId, datasetId, from, to }, comparableText);
    const isAfter = cursor === undefined ? sql`` : sql`and example_id < ${decode(cursor)}`;
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    const mine = sql`project_id = ${ctx.projectId} and dataset_id = ${datasetId} ${isAfter}`;
    const at = (version: number) => sql`
      select * from touched t join lateral (
        select * from example_revisions where project_id = ${ctx.projectId} and dataset_id = ${datasetId}
          and example_id = t.id and from_version <= ${version} and coalesce(to_version > ${version}, true) offset 0
      ) r on true`;
    const found = await ctx.db.execute<Found>(sql`
      with touched as materialized (
        select example_id as id from example_revisions where ${mine} and from_version > ${low} and from_version <= ${high}
        union select example_id from example_revisions where ${mine} and to_version > ${low} and to_version <= ${high}
      )
      select coalesce(a.example_id, b.example_id) as example_id, a.from_version as before, b.from_version as after
      from (${at(from)}) a full join (${at(to)}) b on b.example_id = a.example_id
      where ${saidWithTools("a")} is distinct from ${saidWithTools("b")}
      order by 1 desc limit ${limit + 1}`);
    const shown = found.slice(0, limit);
    const revisions = await revisionsOf(ctx, datasetId, shown);
    const last = shown.at(-1);
    return {
      changes: shown.map((row) => ({
        exampleId: row.example_id,
        change:
          row.before === null ? ("added" as const) : row.after === null ? ("removed" as const) : ("changed" as const),
        before: revisions(row.example_id, row.before),
        after: revisions(row.example_id, row.after),
      })),
      nextCursor: found.length > limit && last ? encode(last.example_id) : null,
    };
  },
);
