import { and, eq } from "drizzle-orm";
import { baseModels } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { CATALOGUE, trainingCompatible } from "./catalogue";
import type { BaseModel } from "./schemas";

type Row = typeof baseModels.$inferSelect;

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
    createdAt: null,
  }));

/** Converts one of the project's own models; what the catalogue knows about the same model applies to it too. */
export function ownModelJson({
  id,
  source,
  modelId,
  revision,
  name,
  license,
  trustRemoteCode,
  createdAt,
}: Row): BaseModel {
  const listed = source === "hub" ? catalogueModels().find((model) => model.id === modelId) : undefined;
  return {
    gated: null,
    parameters: null,
    contextLength: null,
    family: null,
    template: { hasTemplate: null, trainingCompatible: null, toolCalls: null },
    ...listed,
    baseModelId: id,
    id: modelId,
    source,
    revision,
    name,
    license: license ?? listed?.license ?? null,
    trustRemoteCode,
    createdAt,
  };
}
