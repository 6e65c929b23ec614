import { and, desc, eq, lt } from "drizzle-orm";
import { z } from "zod";
import { datasetVersions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { codecOf } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../datasets/read-dataset";
import { type DatasetVersion, getVersionInput, listVersionsInput, versionReply, versionsReply } from "./schemas";

const ofDataset = (ctx: Ctx, datasetId: string) =>
  and(eq(datasetVersions.projectId, ctx.projectId), eq(datasetVersions.datasetId, datasetId));

export const listVersions = verb(
  {
    name: "datasetVersions.list",
    summary: "List the versions of a Dataset, newest first.",
    description:
      "Each import, collection pass, restore and edit session is one version; the edits of one person within 30 minutes are a session. The Examples of a version are listed by `GET …/examples?version=`.",
    effect: "read",
    capability: "workspace:read",
    input: listVersionsInput,
    reply: versionsReply,
  },
  async (ctx, { datasetId, limit, cursor }) => {
    await readDatasetRow(ctx, datasetId);
    const { encode, decode } = codecOf("versions", { project: ctx.projectId, datasetId }, z.int());
    const found = await ctx.db
      .select()
      .from(datasetVersions)
      .where(
        and(ofDataset(ctx, datasetId), cursor === undefined ? undefined : lt(datasetVersions.number, decode(cursor))),
      )
      .orderBy(desc(datasetVersions.number))
      .limit(limit + 1);
    const versions = found.slice(0, limit);
    const last = versions.at(-1);
    return { versions, nextCursor: found.length > limit && last ? encode(last.number) : null };
  },
);

/** Returns a version, or throws a 404. */
export async function readVersion(ctx: Ctx, datasetId: string, number: number): Promise<DatasetVersion> {
  const [version] = await ctx.db
    .select()
    .from(datasetVersions)
    .where(and(ofDataset(ctx, datasetId), eq(datasetVersions.number, number)));
  if (!version) throw notFound(`Version ${number}`);
  return version;
}

export const getVersion = verb(
  {
    name: "datasetVersions.get",
    summary: "Read one version of a Dataset.",
    description:
      "What it added, changed and removed, the number of its Examples, and the import, pass or edit session that made it. `closedAt` is `null` while edits are still added to it.",
    effect: "read",
    capability: "workspace:read",
    input: getVersionInput,
    reply: versionReply,
  },
  async (ctx, { datasetId, version }) => {
    await readDatasetRow(ctx, datasetId);
    return { version: await readVersion(ctx, datasetId, version) };
  },
);
