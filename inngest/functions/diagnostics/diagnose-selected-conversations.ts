import { functionOptions } from "@/server/platform/jobs/catalogue";
import { conversationsSelected } from "@/server/platform/jobs/events";
import { queueSelected } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";

const NAME = "diagnose-selected-conversations";

/** Queues the Rule Runs of a selection that is too large for one request. */
export const diagnoseSelectedConversations = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [conversationsSelected],
    concurrency: { limit: 1, key: "event.data.projectId" },
    retries: 4,
  },
  async ({ event: { data }, step }) => ({
    queued: await step.run("queue", () => queueSelected(jobContext(NAME, data.projectId), data.conversationIds)),
  }),
);
