import { db } from "@/db/pool";
import { env } from "@/env";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { inactivitySweepRequested } from "@/server/platform/jobs/events";
import { scheduleInactiveConversations } from "@/server/services/diagnostics";
import { inngest } from "../client";

/**
 * A schedule's finest grain is a minute, so a run looks several times: as often as a conversation can fall quiet, and not
 * more often than is worth a look at all projects. Seconds.
 */
const OFTENEST = 5;
const SELDOMEST = 15;

export const diagnoseInactiveConversations = inngest.createFunction(
  {
    ...functionOptions("diagnose-quiet-conversations"),
    triggers: [{ cron: "* * * * *" }, inactivitySweepRequested],
    // Two sweeps at once would only find the same.
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    const between = Math.min(SELDOMEST, Math.max(OFTENEST, env().DIAGNOSE_AFTER_QUIET_SECONDS));
    let runs = 0;
    for (let sweep = 0; sweep * between < 60; sweep += 1) {
      if (sweep > 0) await step.sleep(`wait-${sweep}`, `${between}s`);
      const found = await step.run(`sweep-${sweep}`, () => scheduleInactiveConversations(db()));
      runs += found.runs;
    }
    return { runs };
  },
);
