import { and, eq } from "drizzle-orm";
import { baseModels } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { CATALOGUE } from "./catalogue";

type Choice = { id: string; revision?: string | null | undefined; source?: "hub" | "local" | undefined };

/** A model as in a job's spec. `revision` is `null` for a path; otherwise the trainer resolves it to a commit. */
export type KnownBaseModel = { id: string; revision: string | null; source: "hub" | "local"; trustRemoteCode: boolean };

const DEFAULT_REVISION = "main";

/** Returns the chosen model if it is in the catalogue or one of the project's own; `null` otherwise. */
export async function knownBaseModel(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  { id, revision, source = "hub" }: Choice,
): Promise<KnownBaseModel | null> {
  const [own] = await db
    .select()
    .from(baseModels)
    .where(and(eq(baseModels.projectId, projectId), eq(baseModels.source, source), eq(baseModels.modelId, id)));
  if (source === "local") return own ? { id, revision: null, source, trustRemoteCode: own.trustRemoteCode } : null;
  if (!own && !CATALOGUE.some((model) => model.id === id)) return null;
  const chosen = revision ?? own?.revision ?? DEFAULT_REVISION;
  // Trust was given to the code of one commit only.
  return { id, revision: chosen, source, trustRemoteCode: own?.trustRemoteCode === true && own.revision === chosen };
}
