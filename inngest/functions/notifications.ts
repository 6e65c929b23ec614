import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { deliveryQueued } from "@/server/platform/jobs/events";
import { evaluateAlerts, failDelivery, queueNotices, sendDelivery } from "@/server/services/notifications";
import { inngest } from "../client";
import { jobContext } from "../job-context";
import { inPasses, pollOptions } from "../turns";

/** A regression should be announced soon. */
const PASS_SECONDS = 15;

export const queueDueNotices = inngest.createFunction(pollOptions("queue-notices"), async ({ step }) => {
  const passes = await inPasses(step, (n) => step.run(`pass-${n}`, () => queueNotices(db())), PASS_SECONDS);
  return { deliveries: passes.reduce((sum, { deliveries }) => sum + deliveries, 0) };
});

const SEND = "send-delivery";
const AT_ONCE = 2;

export const sendQueuedDelivery = inngest.createFunction(
  {
    ...functionOptions(SEND),
    triggers: [deliveryQueued],
    concurrency: { limit: AT_ONCE, key: "event.data.projectId" },
    // About an hour of retries: a receiver may be redeployed.
    retries: 8,
    onFailure: async ({ event, error, step }) => {
      const { projectId, deliveryId } = event.data.event.data;
      await step.run("fail", () => failDelivery(jobContext(SEND, projectId), deliveryId, error.message));
    },
  },
  async ({ event: { data }, step }) =>
    step.run("send", () => sendDelivery(jobContext(SEND, data.projectId), data.deliveryId)),
);

export const evaluateDueAlerts = inngest.createFunction(pollOptions("evaluate-alerts"), async ({ step }) =>
  step.run("evaluate", () => evaluateAlerts(db())),
);
