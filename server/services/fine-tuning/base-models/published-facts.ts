import { and, eq } from "drizzle-orm";
import { baseModels } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { CATALOGUE } from "./catalogue";

/** Returns what may be published of a base model: its licence, as far as it is known, and whether its id is a path of the trainer's. */
export async function publishedFacts(
  { db, projectId }: Ctx,
  modelId: string,
): Promise<{ license: string | null; isPath: boolean }> {
  const own = await db
    .select({ license: baseModels.license, source: baseModels.source })
    .from(baseModels)
    .where(and(eq(baseModels.projectId, projectId), eq(baseModels.modelId, modelId)));
  const license = own.find((one) => one.license !== null)?.license;
  return {
    license: license ?? CATALOGUE.find(({ id }) => id === modelId)?.license ?? null,
    isPath: own.some(({ source }) => source === "local"),
  };
}
