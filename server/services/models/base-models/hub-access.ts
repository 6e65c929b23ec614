import { eq } from "drizzle-orm";
import { trainers } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { downloadHub, openHub } from "@/server/services/connections";
import { readCapabilities } from "@/server/services/trainers";

/** What a request to a trainer additionally contains: the token beside its body, and the only hub that it is for. */
type Access = { json?: { hub_endpoint: string }; secret?: string };

/** Features of trainers that take a token: with jobs, dry runs and sample answers; deployments; certificates and exports. */
type Feature = "hub_token" | "deployment_hub_token" | "build_hub_token";

/**
 * Returns the project's token with which a trainer may download a base model; nothing for a folder, without a connection for
 * downloads, or for a trainer of before, which would refuse the request: it downloads with its own token or none.
 */
export async function hubAccess(
  ctx: Ctx,
  trainerId: string,
  source: unknown,
  feature: Feature = "hub_token",
): Promise<Access> {
  if (source === "local") return {};
  const connectionId = await downloadHub(ctx);
  if (connectionId === null) return {};
  const [trainer] = await ctx.db
    .select({ capabilities: trainers.capabilities })
    .from(trainers)
    .where(eq(trainers.id, trainerId));
  if (!readCapabilities(trainer?.capabilities).features.includes(feature)) return {};
  try {
    const { endpoint, token } = await openHub(ctx, connectionId, "download");
    return { json: { hub_endpoint: endpoint }, secret: token };
  } catch (error) {
    // Deleted meanwhile, or encrypted with a key that is gone: the hub's refusal says what is missing.
    if (error instanceof ServiceError) return {};
    throw error;
  }
}
