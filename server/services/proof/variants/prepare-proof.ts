import { and, eq, isNull } from "drizzle-orm";
import { datasets } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { modelConnections } from "@/server/services/connections";
import { examplesOf, type PreparedEvaluation, replaysOf } from "../evaluations/prepare-evaluation";
import { type Endpoint, requireEndpoint, runningDeployment } from "./endpoints";
import type { Variant } from "./schemas";
import { readVariant } from "./variant-rows";

export type ProofChoice = {
  variantId: string;
  findingId?: string | undefined;
  datasetId?: string | undefined;
  baselineConnectionId?: string | undefined;
  baselineDeploymentId?: string | undefined;
  baselineModel?: string | undefined;
  preserveSetOnly: boolean;
  maxRows: number;
  maxCost?: number | undefined;
};
export type PreparedProof = {
  variant: Variant;
  baseline: Endpoint;
  kind: "finding" | "examples";
  prepared: PreparedEvaluation;
};

/** Chooses what a variant is proven on. Throws 404 or 422 with the reason if there is nothing. */
export async function prepareProof(ctx: Ctx, choice: ProofChoice): Promise<PreparedProof> {
  const variant = await readVariant(ctx, choice.variantId);
  await requireEndpoint(ctx, variant, "/variantId");
  const { findingId, datasetId, maxRows, maxCost = null } = choice;
  if ((findingId === undefined) === (datasetId === undefined))
    throw unprocessable("", "Send either findingId or datasetId.");
  const comparedWith = (baseline: Endpoint) => ({ variantId: variant.id, baseline, maxCost });
  if (findingId !== undefined) {
    const skip = new Set(variant.seenConversationIds);
    const { models, ...replays } = await replaysOf(ctx, findingId, {
      taught: [],
      skip,
      limit: maxRows,
      withTools: true,
    });
    const baseline = await baselineOf(ctx, variant, choice, mostOften(models));
    const prepared = { compared: comparedWith(baseline), dataset: null, ...replays };
    return { variant, baseline, kind: "finding", prepared };
  }
  const dataset = await newestVersion(ctx, datasetId ?? "");
  const baseline = await baselineOf(ctx, variant, choice, null);
  const examples = await examplesOf(ctx, dataset, [], { maxRows, preserveSet: choice.preserveSetOnly });
  const prepared = { compared: comparedWith(baseline), dataset, rule: null, ...examples };
  return { variant, baseline, kind: "examples", prepared };
}

/** Returns what runs today: what was chosen or, without a choice, what most of the answers were `recorded` from. */
async function baselineOf(
  ctx: Ctx,
  variant: Variant,
  { baselineConnectionId, baselineDeploymentId, baselineModel }: ProofChoice,
  recorded: string | null,
): Promise<Endpoint> {
  if (baselineDeploymentId !== undefined)
    return requireEndpoint(ctx, { deploymentId: baselineDeploymentId }, "/baselineDeploymentId");
  const isOpen = baselineConnectionId === undefined && baselineModel === undefined;
  const named = isOpen && recorded !== null ? await runningDeployment(ctx, recorded) : null;
  if (named !== null) return named;
  const model = baselineModel ?? recorded ?? variant.model;
  const { connectionId, deploymentId, baseModel } = variant;
  if (baselineConnectionId === undefined && connectionId === null && model === variant.model)
    return { connectionId, deploymentId, baseModel, model };
  const chosen = baselineConnectionId ?? connectionId ?? (await modelConnections(ctx))[0]?.id;
  if (chosen === undefined)
    throw unprocessable("/baselineConnectionId", `No model is connected that could answer as ${model} did.`);
  return requireEndpoint(ctx, { connectionId: chosen, model }, "/baselineConnectionId");
}

async function newestVersion({ db, projectId }: Ctx, datasetId: string): Promise<{ id: string; version: number }> {
  const [found] = await db
    .select({ id: datasets.id, version: datasets.version })
    .from(datasets)
    .where(and(eq(datasets.projectId, projectId), eq(datasets.id, datasetId), isNull(datasets.deletedAt)));
  if (!found) throw notFound("The Dataset");
  if (found.version === 0) throw unprocessable("/datasetId", "The Dataset has no Examples yet.");
  return found;
}

/** Returns the model that most of the answers are from; `null` if none was recorded. */
export function mostOften(models: readonly (string | null)[]): string | null {
  const counts = Map.groupBy(models, (model) => model);
  counts.delete(null);
  const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? null;
}
