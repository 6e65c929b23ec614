import { and, asc, eq, isNull } from "drizzle-orm";
import { gatewayAliases, gatewayExperiments, variants } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { readAhead } from "@/server/platform/database/read-ahead";
import type { AliasRow } from "./alias-rows";

/** An experiment that runs, with what its variant changes. */
type RunningExperiment = { id: string; name: string; variant: typeof variants.$inferSelect };
/** An alias as calls need it. */
export type CallableAlias = AliasRow & { experiment: RunningExperiment | null };

async function read({ db, projectId }: Ctx): Promise<ReadonlyMap<string, CallableAlias>> {
  const rows = await db
    .select({ alias: gatewayAliases, experiment: gatewayExperiments, variant: variants })
    .from(gatewayAliases)
    .leftJoin(
      gatewayExperiments,
      and(
        eq(gatewayExperiments.projectId, gatewayAliases.projectId),
        eq(gatewayExperiments.aliasId, gatewayAliases.id),
        isNull(gatewayExperiments.endedAt),
      ),
    )
    .leftJoin(
      variants,
      and(eq(variants.projectId, gatewayExperiments.projectId), eq(variants.id, gatewayExperiments.variantId)),
    )
    .where(eq(gatewayAliases.projectId, projectId))
    .orderBy(asc(gatewayAliases.name));
  return new Map(
    rows.map(({ alias, experiment, variant }) => [
      alias.name,
      { ...alias, experiment: experiment && variant && { id: experiment.id, name: experiment.name, variant } },
    ]),
  );
}

/** Returns the project's aliases by name, at most a few seconds old. */
export const callableAliases = readAhead(read);
