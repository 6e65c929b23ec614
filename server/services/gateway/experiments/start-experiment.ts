import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { gatewayExperiments } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { readVariant, requireEndpoint } from "@/server/services/proof/variants";
import { lockAlias } from "../aliases/alias-rows";
import { audited, experimentJson } from "./experiment-rows";
import { gatewayExperimentReply, startGatewayExperimentInput } from "./schemas";

export const startGatewayExperiment = verb(
  {
    name: "gatewayExperiments.start",
    summary: "Try a variant on a share of an alias’s conversations.",
    description:
      "Conversations are told apart by `metadata.conversation_id`, `X-Session-Id`, the chain of `previous_response_id`, or else the user and the first message; each stays in the arm that it gets first. The variant’s model is asked before the alias’s own, which stand in for it, with its change of the system prompt and of descriptions of tools; a request that the change does not fit is sent as it is, and counted. Takes effect within five seconds. 409: the alias has an experiment that runs. 422: the variant was not found, its connection or deployment is gone, or it answers with a base model, which takes no traffic.",
    effect: "write",
    capability: "project:models:manage",
    input: startGatewayExperimentInput,
    reply: gatewayExperimentReply,
  },
  async (ctx, { gatewayAliasId, variantId, share }) => {
    // Locked, so that its deletion ends the experiment.
    const alias = await lockAlias(ctx, gatewayAliasId);
    const { name: variantName, version: variantVersion } = await variantOf(ctx, variantId);
    const number = await nextNumber(ctx);
    const [row] = await ctx.db
      .insert(gatewayExperiments)
      .values({
        projectId: ctx.projectId,
        id: newId("gwe"),
        name: `${alias.name} #${number}`,
        number,
        aliasId: alias.id,
        variantId,
        variantName,
        variantVersion,
        share,
        startedAt: NOW,
        updatedAt: NOW,
      })
      .onConflictDoNothing()
      .returning();
    if (!row) throw alreadyRunning(alias.name);
    auditNote(ctx, { target: { type: "gatewayExperiment", id: row.id }, after: audited(row) });
    return { experiment: experimentJson(row) };
  },
);

/** Locks the variant, so that its deletion ends the experiment. Throws 422 unless something can answer as it. */
async function variantOf(ctx: Ctx, variantId: string) {
  await ctx.db.execute(
    sql`select 1 from variants where project_id = ${ctx.projectId} and id = ${variantId} for key share`,
  );
  const variant = await readVariant(ctx, variantId).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === "not_found")
      throw unprocessable("/variantId", "The variant was not found in this project.");
    throw error;
  });
  if (variant.baseModel !== null)
    throw unprocessable(
      "/variantId",
      "A base model takes no traffic: a trainer serves it only while it is tried and proven.",
    );
  await requireEndpoint(ctx, variant, "/variantId");
  return variant;
}

/** Returns the project's next number; those who start at the same time get one after the other. */
async function nextNumber({ db, projectId }: Ctx): Promise<number> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`gateway experiments ${projectId}`}, 0))`);
  const [row] = await db
    .select({ newest: sql<number>`coalesce(max(${gatewayExperiments.number}), 0)`.mapWith(Number) })
    .from(gatewayExperiments)
    .where(eq(gatewayExperiments.projectId, projectId));
  return (row?.newest ?? 0) + 1;
}

const alreadyRunning = (alias: string) =>
  new ServiceError("conflict", `An experiment of the alias “${alias}” runs already. End it first.`);
