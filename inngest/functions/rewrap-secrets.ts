import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { keyRingRotated } from "@/server/platform/jobs/events";
import { rewrapSecrets } from "@/server/services/secrets";
import { inngest } from "../client";

/** Long enough to amortize a step's overhead, short enough for a graceful stop. */
const STEP_MS = 5_000;
/** Steps per run. The rest goes to a new run, queued behind other pending ones. */
const STEPS = 60;

export const rewrapStoredSecrets = inngest.createFunction(
  { ...functionOptions("rewrap-secrets"), triggers: [keyRingRotated], concurrency: 1, retries: 10 },
  async ({ event: { data }, step }) => {
    for (let n = 0; n < STEPS; n += 1) {
      const { done } = await step.run(`turn-${n}`, () => rewrapSecrets(db(), { forMs: STEP_MS }));
      if (done) return { done };
    }
    await step.sendEvent("go-on", keyRingRotated.create(data));
    return { done: false };
  },
);
