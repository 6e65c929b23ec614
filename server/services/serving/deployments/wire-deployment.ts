import { z } from "zod";
import { SERVE_BACKENDS } from "@/db/schema/enumerations";
import { TrainerUnreachable, trainerProblemOf } from "@/server/services/trainers";

const STATUSES = [
  "pending",
  "preparing",
  "starting",
  "verifying",
  "running",
  "stopping",
  "stopped",
  "failed",
  "timeout",
] as const;
const TEXT_MAX = 500;

/** Times are Unix ms, or text in the trainer's format. */
const time = z
  .union([z.number(), z.string()])
  .nullish()
  .catch(null)
  .transform((value) => {
    const ms = typeof value === "string" ? Date.parse(value) : value;
    return typeof ms === "number" && Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : null;
  });

const wireDeployment = z
  .object({
    deployment_id: z.string(),
    status: z.enum(STATUSES),
    backend: z.enum(SERVE_BACKENDS).nullish().catch(null),
    stage_detail: z
      .string()
      .transform((text) => text.slice(0, TEXT_MAX))
      .nullish()
      .catch(null),
    restarts: z.int().min(0).catch(0),
    error: z.unknown(),
    log_tail: z.array(z.string()).catch([]),
    first_token_ms: z.number().min(0).nullish().catch(null),
    last_called_at: time,
    /** Whether a restart of the trainer lost the token that was sent with it. Trainers of before do not say. */
    lacks_hub_token: z.boolean().catch(false),
  })
  .transform(({ error, log_tail, ...rest }) => {
    const problem = trainerProblemOf(error);
    return {
      ...rest,
      error: problem && { ...problem, logTail: problem.logTail.length > 0 ? problem.logTail : log_tail.slice(-50) },
    };
  });
export type WireDeployment = z.output<typeof wireDeployment>;

/** Parses a trainer's description of a deployment; an unknown form is treated as if the trainer were unreachable. */
export function wireDeploymentOf(json: unknown): WireDeployment {
  const parsed = z.object({ deployment: wireDeployment }).safeParse(json);
  if (!parsed.success) throw new TrainerUnreachable("The trainer described the deployment in an unknown format.");
  return parsed.data.deployment;
}

/** Returns the ids of a trainer's unfinished deployments. */
export function liveIdsOf(json: unknown): string[] {
  const listed = z.object({ deployments: z.array(z.unknown()) }).safeParse(json);
  return (listed.data?.deployments ?? []).flatMap((one) => {
    const { data } = wireDeployment.safeParse(one);
    return data && !["stopping", "stopped", "failed", "timeout"].includes(data.status) ? [data.deployment_id] : [];
  });
}
