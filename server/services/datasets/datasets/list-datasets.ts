import { and, eq, ilike, isNull } from "drizzle-orm";
import { containing } from "@/db/like";
import { datasets } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { datasetJson } from "./read-dataset";
import { datasetsReply, listDatasetsInput } from "./schemas";

export const listDatasets = verb(
  {
    name: "datasets.list",
    summary: "List Datasets, newest first.",
    description:
      "`q` is a part of the name, in any case. Each with its settings for collection, the number of its Examples and its newest version. Deleted Datasets are not listed.",
    effect: "read",
    capability: "workspace:read",
    input: listDatasetsInput,
    reply: datasetsReply,
  },
  async (ctx, { limit, cursor, q }) => {
    const { rows, nextCursor } = await listPage(
      {
        name: "datasets",
        table: datasets,
        filters: { project: ctx.projectId, ...(q !== undefined && { q }) },
        limit,
        cursor,
      },
      (after) =>
        ctx.db
          .select()
          .from(datasets)
          .where(
            and(
              eq(datasets.projectId, ctx.projectId),
              isNull(datasets.deletedAt),
              q === undefined ? undefined : ilike(datasets.name, containing(q)),
              after,
            ),
          ),
    );
    return { datasets: rows.map(datasetJson), nextCursor };
  },
);
