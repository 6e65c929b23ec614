import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { baseModels, checkpoints, modelExports, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { isBaseModel } from "../base-models/base-models";
import { CATALOGUE } from "../base-models/catalogue";

/** `revision: null`: all of its revisions. */
export type Root = { id: string; revision: string | null };

/** The revision that a job trained: the commit, once its trainer has resolved the requested name. */
export const REVISION: SQL<string | null> =
  sql`coalesce(${trainingJobs.resolvedSpec}, ${trainingJobs.spec}) -> 'base_model' ->> 'revision'`;

/** Returns the base model for an id; for a job or a checkpoint, the one it was trained from. Throws a 404. */
export async function resolveRoot(ctx: Ctx, rootModelId: string): Promise<Root> {
  const root = (await rootOfRow(ctx, rootModelId)) ?? (await rootByName(ctx, rootModelId));
  if (!root) throw notFound("The root model");
  return root;
}

async function rootOfRow(ctx: Ctx, id: string): Promise<Root | null> {
  const { db, projectId } = ctx;
  const [own] = await db.select({ id: baseModels.modelId }).from(baseModels).where(isBaseModel(ctx, id));
  if (own) return { id: own.id, revision: null };
  const [job] = await db
    .select({ id: trainingJobs.baseModelId, revision: REVISION })
    .from(trainingJobs)
    .where(and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, id)));
  if (job) return job;
  const [checkpoint] = await db
    .select({ job: trainingJobs.baseModelId, revision: REVISION })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, id)));
  return checkpoint ? { id: checkpoint.job, revision: checkpoint.revision } : null;
}

async function rootByName(ctx: Ctx, name: string): Promise<Root | null> {
  if (await isKnown(ctx, name)) return { id: name, revision: null };
  const at = name.lastIndexOf("@");
  if (at <= 0 || at === name.length - 1) return null;
  const [id, revision] = [name.slice(0, at), name.slice(at + 1)];
  return (await isKnown(ctx, id)) ? { id, revision } : null;
}

/** Returns whether a model is in the catalogue, or was added, trained or published by the project. */
async function isKnown({ db, projectId }: Ctx, id: string): Promise<boolean> {
  if (CATALOGUE.some((model) => model.id === id)) return true;
  const [own, trained, published] = await Promise.all([
    db.$count(baseModels, and(eq(baseModels.projectId, projectId), eq(baseModels.modelId, id))),
    db.$count(trainingJobs, and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.baseModelId, id))),
    db.$count(modelExports, and(eq(modelExports.projectId, projectId), sql`${modelExports.hubModel} ->> 'id' = ${id}`)),
  ]);
  return own + trained + published > 0;
}

/** Condition: a job of this root. */
export const isOfRoot = (projectId: string, { id, revision }: Root) =>
  and(
    eq(trainingJobs.projectId, projectId),
    eq(trainingJobs.baseModelId, id),
    revision === null ? undefined : eq(REVISION, revision),
  );

/** Condition: an export of the root itself, or of one of these checkpoints. */
export const isExportOf = (projectId: string, { id, revision }: Root, ofCheckpoints: SQL) =>
  and(
    eq(modelExports.projectId, projectId),
    or(
      ofCheckpoints,
      and(
        sql`${modelExports.hubModel} ->> 'id' = ${id}`,
        revision === null ? undefined : sql`${modelExports.hubModel} ->> 'revision' = ${revision}`,
      ),
    ),
  );
