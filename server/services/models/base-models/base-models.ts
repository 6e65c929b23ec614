import { and, eq } from "drizzle-orm";
import { baseModels } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { baseModelBytes } from "@/server/services/trainers";
import { CATALOGUE, trainingCompatible } from "./catalogue";
import { foundInFolder } from "./check-folder";
import type { BaseModel } from "./schemas";

type Row = typeof baseModels.$inferSelect;

const BILLION = 1e9;

/** Condition: one of the project's own base models. */
export const isBaseModel = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(baseModels.projectId, projectId), eq(baseModels.id, id));

export async function lockBaseModel(tx: Ctx, id: string): Promise<Row> {
  const [row] = await tx.db.select().from(baseModels).where(isBaseModel(tx, id)).for("update");
  if (!row) throw notFound("The base model");
  return row;
}

/** Returns the catalogue's models. */
export const catalogueModels = (): BaseModel[] =>
  CATALOGUE.map(({ hasTemplate, toolCalls, ...model }) => ({
    ...model,
    baseModelId: null,
    source: "hub",
    revision: "main",
    template: { hasTemplate, trainingCompatible: trainingCompatible(model.family), toolCalls },
    trustRemoteCode: false,
    diskBytes: null,
    createdAt: null,
  }));

/** Returns models with the size of their files on the trainers. */
export async function withDisk(db: Ctx["db"], models: readonly BaseModel[]): Promise<BaseModel[]> {
  const bytesOf = await baseModelBytes(db);
  return models.map((model) => (model.source === "hub" ? { ...model, diskBytes: bytesOf(model.id) } : model));
}

/** Converts one of the project's own models; what the catalogue knows about the same model applies to it too. */
export function ownModelJson({
  id,
  source,
  modelId,
  revision,
  name,
  license,
  trustRemoteCode,
  found: stored,
  createdAt,
}: Row): BaseModel {
  const found = foundInFolder(stored);
  const { has_template = null, training_compatible = null, supports_tools = null } = found?.template ?? {};
  const listed = source === "hub" ? catalogueModels().find((model) => model.id === modelId) : undefined;
  return {
    gated: null,
    parameters: found?.parameters == null ? null : found.parameters / BILLION,
    contextLength: found?.context_length ?? null,
    family: null,
    template: { hasTemplate: has_template, trainingCompatible: training_compatible, toolCalls: supports_tools },
    ...listed,
    baseModelId: id,
    id: modelId,
    source,
    revision,
    name,
    license: license ?? listed?.license ?? found?.license ?? null,
    trustRemoteCode,
    diskBytes: found?.bytes ?? null,
    createdAt,
  };
}
