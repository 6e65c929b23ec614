import { createHash } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { deployments } from "@/db/schema";
import { auditActor, recordAudit } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import type { TrainerProblem } from "@/server/services/trainers";
import type { BaseModelChoice } from "../deployments/schemas";
import { insertPlayground, ofBaseModel, requirePlayable } from "./start-playground";

/** After this long a base model that could not be served is started again. */
const RETRY_MS = 600_000;
const NAME_CHARACTERS = 16;

/** Returns the name of the playground of a base model: one of a name starts at a time. */
const nameOf = (choice: BaseModelChoice) =>
  `playground-base-${createHash("sha256").update(canonicalJson(choice)).digest("hex").slice(0, NAME_CHARACTERS)}`;

/**
 * Returns the id of the playground in which a base model answers; `null` while it starts, which this begins if nobody else has.
 * Throws a `ServiceError` if no trainer can serve it, or the last attempt has just failed.
 */
export async function serveBaseModel(ctx: Ctx, choice: BaseModelChoice): Promise<string | null> {
  const name = nameOf(choice);
  const { id, status, endedAt, error } = deployments;
  const [newest] = await ctx.db
    .select({ id, status, endedAt, error, isRecent: sql<boolean>`${endedAt} + ${RETRY_MS}::bigint > ${NOW}` })
    .from(deployments)
    .where(
      and(eq(deployments.projectId, ctx.projectId), eq(deployments.name, name), eq(deployments.purpose, "playground")),
    )
    .orderBy(desc(deployments.createdAt), desc(id))
    .limit(1);
  if (newest?.status === "running") return newest.id;
  if (newest?.endedAt === null && newest.status !== "stopping") return null;
  if (newest?.isRecent && newest.error !== null)
    throw new ServiceError(
      "unprocessable",
      `${choice.id} could not be served: ${(newest.error as TrainerProblem).message}`,
    );
  const model = await requirePlayable(ctx, await ofBaseModel(ctx, choice));
  await inTransaction(ctx, async (tx) => {
    const started = await insertPlayground(tx, name, model);
    if (started === null) return;
    await recordAudit(tx.db, {
      action: "deployments.startPlayground",
      projectId: tx.projectId,
      actor: auditActor(tx.actor),
      request: tx.request,
      target: { type: "deployment", id: started },
      after: { baseModel: choice },
    });
  });
  return null;
}
