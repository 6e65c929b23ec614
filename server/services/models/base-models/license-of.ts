import { and, eq, isNotNull } from "drizzle-orm";
import { baseModels } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { CATALOGUE } from "./catalogue";

/** Returns a base model's licence if it is known: an SPDX id or the licence's name. */
export async function licenseOf({ db, projectId }: Ctx, modelId: string): Promise<string | null> {
  const [own] = await db
    .select({ license: baseModels.license })
    .from(baseModels)
    .where(and(eq(baseModels.projectId, projectId), eq(baseModels.modelId, modelId), isNotNull(baseModels.license)))
    .limit(1);
  return own?.license ?? CATALOGUE.find(({ id }) => id === modelId)?.license ?? null;
}
