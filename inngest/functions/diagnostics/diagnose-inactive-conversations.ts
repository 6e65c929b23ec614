import { db } from "@/db/pool";
import { workerStarted } from "@/server/platform/jobs/events";
import { scheduleInactiveConversations } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { inSweeps, pollOptions } from "../../turns";

export const diagnoseInactiveConversations = inngest.createFunction(
  // Concurrent sweeps would find the same conversations.
  pollOptions("diagnose-quiet-conversations", workerStarted),
  async ({ step }) => {
    const swept = await inSweeps(step, () => scheduleInactiveConversations(db()));
    return { runs: swept.reduce((sum, { runs }) => sum + runs, 0) };
  },
);
