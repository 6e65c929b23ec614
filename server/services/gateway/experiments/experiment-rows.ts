import { and, eq } from "drizzle-orm";
import { gatewayExperiments } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { GatewayExperiment } from "./schemas";

export type ExperimentRow = typeof gatewayExperiments.$inferSelect;

/** Returns what conversations in the arms of an experiment have, as their filter takes it. */
export const armsOf = (name: string) => ({
  baseline: `${name} baseline`,
  variant: `${name} variant`,
  notApplied: `${name} not applied`,
});

export const experimentJson = ({
  projectId: _,
  number: __,
  counts: ___,
  ...row
}: ExperimentRow): GatewayExperiment => ({ ...row, arms: armsOf(row.name) });

/** Returns what the audit log records of an experiment. */
export const audited = ({ name, variantId, variantName, variantVersion, share, endedAt }: ExperimentRow) => ({
  name,
  variantId,
  variantName,
  variantVersion,
  share,
  endedAt,
});

export const isExperiment = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(gatewayExperiments.projectId, projectId), eq(gatewayExperiments.id, id));

/** Reads an experiment that the transaction is about to change. */
export async function lockExperiment(tx: Ctx, id: string): Promise<ExperimentRow> {
  const [row] = await tx.db.select().from(gatewayExperiments).where(isExperiment(tx, id)).for("update");
  if (!row) throw notFound("The experiment");
  return row;
}
