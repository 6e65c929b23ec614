import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { workerStarted } from "@/server/platform/jobs/events";
import { scheduleInactiveConversations } from "@/server/services/diagnostics";
import { inngest } from "../client";
import { inSweeps } from "../turns";

export const diagnoseInactiveConversations = inngest.createFunction(
  {
    ...functionOptions("diagnose-quiet-conversations"),
    triggers: [{ cron: "* * * * *" }, workerStarted],
    // Concurrent sweeps would find the same conversations.
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    const swept = await inSweeps(step, () => scheduleInactiveConversations(db()));
    return { runs: swept.reduce((sum, { runs }) => sum + runs, 0) };
  },
);
