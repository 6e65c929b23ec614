import type { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { checkPlannedExport } from "@/server/services/model-exports";
import { chooseTrainer, requireTrainer } from "@/server/services/trainers";
import { type Frozen, freezeExamples } from "../manifests/freeze-examples";
import type { PlannedExport } from "../settings/schemas";
import { type Start, specOf } from "./job-spec";
import { resolveStart } from "./resolve-start";
import type { validateJobInput } from "./schemas";

/** A job that can be created: its training data is frozen, and a trainer supports it. */
export type PreparedJob = {
  start: Start;
  frozen: Frozen;
  trainerId: string;
  spec: Record<string, unknown>;
  plannedExport: PlannedExport | null;
};

/**
 * Freezes what a job would train on and chooses its trainer, unless the caller has. Throws 501 without a trainer, and 422 for
 * an unknown model, for Examples that its method cannot train on, for requirements that no trainer supports, and for an export
 * that the hub would refuse.
 */
export async function prepareJob(
  ctx: Ctx,
  input: z.output<typeof validateJobInput>,
  chosen: { trainerId?: string } = {},
): Promise<PreparedJob> {
  await requireTrainer(ctx);
  const start = await resolveStart(ctx, input.baseModel);
  const { formats, ggufQuantizations, compressedQuantizations, export: planned } = input.output;
  const trainerId =
    chosen.trainerId ??
    (await chooseTrainer(ctx, {
      method: input.method,
      adapter: input.adapter,
      formats,
      ggufQuantizations,
      compressedQuantizations,
      exportFormats: planned ? [planned.format] : [],
      ...(start.trainerId === null ? {} : { trainerId: start.trainerId }),
    }));
  if (planned) await checkPlannedExport(ctx, { planned, adapter: input.adapter });
  const frozen = await freezeExamples(ctx, input);
  return { start, frozen, trainerId, spec: specOf(input, start, frozen), plannedExport: planned ?? null };
}
