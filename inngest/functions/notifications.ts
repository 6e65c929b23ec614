import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { deliveryQueued } from "@/server/platform/jobs/events";
import { failDelivery, queueNotices, sendDelivery } from "@/server/services/notifications";
import { inngest } from "../client";
import { jobContext } from "../job-context";
import { pollOptions } from "../turns";

/** Cron's resolution is a minute, and a regression should be announced sooner. */
const PASSES = 4;
const INTERVAL = "15s";

export const queueDueNotices = inngest.createFunction(pollOptions("queue-notices"), async ({ step }) => {
  let deliveries = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    if (pass > 0) await step.sleep(`wait-${pass}`, INTERVAL);
    deliveries += (await step.run(`pass-${pass}`, () => queueNotices(db()))).deliveries;
  }
  return { deliveries };
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
