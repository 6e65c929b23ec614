import { ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { hubAccess } from "@/server/services/models";
import {
  FINE_TUNING_READERS,
  openTrainer,
  TrainerRefused,
  TrainerUnreachable,
  withHint,
} from "@/server/services/trainers";
import { prepareJob } from "./prepare-job";
import { sendManifest } from "./run-job";
import { requestedValidationReply, validateJobInput, validationReply } from "./schemas";
import { validationOf } from "./validation-of";

/** Maximum time that a request waits for the trainer: proxies time out after 60 s. */
const WAIT_SECONDS = 50;
const TIMEOUT_MS = 55_000;
const STILL_RUNNING = 202;

export const validateJob = verb(
  {
    name: "trainingJobs.validate",
    summary: "Check what a training job would do, without starting it.",
    description:
      "Freezes the Examples as a job would and has the trainer read them. Returns which of them it would drop or cut and why, the exact text of the worst one with what is learned from it, tokens, steps, memory and time. The request is refused for the same reasons as a job. 503: no trainer can be reached.",
    effect: "write",
    capability: "models:manage",
    input: validateJobInput,
    reply: validationReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedValidationReply },
  },
  {
    before: async (ctx, input) => {
      const { spec, frozen, trainerId, start } = await prepareJob(ctx, input);
      try {
        const trainer = await openTrainer(ctx.db, trainerId);
        await sendManifest(ctx, trainer, frozen.train.sha256);
        if (frozen.validation) await sendManifest(ctx, trainer, frozen.validation.sha256);
        const { json: hub, ...secret } = await hubAccess(ctx, trainerId, start.source);
        const { status, json } = await trainer.request({
          method: "POST",
          path: "/validate",
          headers: { prefer: `wait=${WAIT_SECONDS}` },
          json: { ...spec, ...hub },
          ...secret,
          timeoutMs: TIMEOUT_MS,
          projectId: ctx.projectId,
        });
        if (status === STILL_RUNNING) throw tooSlow();
        return validationOf((json as { report?: unknown }).report, frozen);
      } catch (error) {
        if (error instanceof TrainerUnreachable) throw unavailable(error.message);
        if (error instanceof TrainerRefused) throw refusal(error);
        throw error;
      }
    },
    run: async (_ctx, _input, validation) => ({ validation }),
  },
);

const unavailable = (message: string) =>
  new ServiceError("unavailable", `The trainer cannot be reached: ${message}`, { retryAfter: 30 });

const tooSlow = () =>
  new ServiceError(
    "unavailable",
    "The trainer needs more time to read the Examples and the model. Try again: it keeps what it has downloaded.",
    {
      retryAfter: 5,
    },
  );

function refusal({ status, problem }: TrainerRefused) {
  const message = withHint(problem);
  if (status >= 500 || problem.retryable) return unavailable(message);
  return unprocessable(`/${(problem.param ?? "").replaceAll(".", "/")}`, message);
}
