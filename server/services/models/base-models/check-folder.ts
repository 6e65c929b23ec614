import { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import {
  attachedTrainers,
  clientOf,
  readCapabilities,
  type TrainerProblem,
  TrainerRefused,
  TrainerUnreachable,
  trainerProblemOf,
  withHint,
} from "@/server/services/trainers";

/** Maximum time that a request waits for a trainer: proxies time out after 60 s. */
const WAIT_SECONDS = 50;
const TIMEOUT_MS = 55_000;

const known = z.number().nonnegative().nullable().catch(null);
const flag = z.boolean().nullable().catch(null);

/** What a trainer found in a model's folder. What it does not report is unknown. */
const found = z.object({
  template: z.object({ has_template: flag, training_compatible: flag, supports_tools: flag }).partial().catch({}),
  parameters: known,
  context_length: known,
  license: z.string().max(100).nullable().catch(null),
  bytes: known,
});
export type FoundInFolder = z.infer<typeof found>;

export const foundInFolder = (stored: unknown): FoundInFolder | null => found.safeParse(stored).data ?? null;

/**
 * Asks the attached trainers what is in a model's folder: its template, weights, licence and size. Throws the 422 with the reason
 * if it is on none of them in a usable form; returns `null` if none can be asked, because it is of an earlier version or
 * unreachable.
 */
export async function checkFolder({ db, projectId }: Ctx, id: string): Promise<FoundInFolder | null> {
  let refusal: TrainerProblem | null = null;
  for (const row of await attachedTrainers(db)) {
    if (!readCapabilities(row.capabilities).features.includes("check_base_model")) continue;
    try {
      const { json } = await clientOf(db, row).request({
        method: "POST",
        path: "/base-models/check",
        headers: { prefer: `wait=${WAIT_SECONDS}` },
        json: { base_model: { id, source: "local" } },
        timeoutMs: TIMEOUT_MS,
        projectId,
      });
      const { check, error } = (json ?? {}) as { check?: unknown; error?: unknown };
      if (check) return foundInFolder(check);
      refusal ??= error ? trainerProblemOf({ error }) : null;
    } catch (error) {
      if (error instanceof TrainerRefused) refusal ??= error.problem;
      else if (!(error instanceof TrainerUnreachable)) throw error;
    }
  }
  if (refusal === null) return null;
  throw unprocessable("/id", withHint(refusal));
}
