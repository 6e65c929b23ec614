import { db } from "@/db/pool";
import { env } from "@/env";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { inactivitySweepRequested } from "@/server/platform/jobs/events";
import { scheduleInactiveConversations } from "@/server/services/diagnostics";
import { inngest } from "../client";

/** Cron's resolution is a minute, so each run sweeps several times, at intervals of the inactivity threshold, within bounds. */
const MIN_INTERVAL_SECONDS = 5;
const MAX_INTERVAL_SECONDS = 15;

export const diagnoseInactiveConversations = inngest.createFunction(
  {
    ...functionOptions("diagnose-quiet-conversations"),
    triggers: [{ cron: "* * * * *" }, inactivitySweepRequested],
    // Concurrent sweeps would find the same conversations.
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    const intervalSeconds = Math.min(
      MAX_INTERVAL_SECONDS,
      Math.max(MIN_INTERVAL_SECONDS, env().DIAGNOSE_AFTER_QUIET_SECONDS),
    );
    let runs = 0;
    for (let sweep = 0; sweep * intervalSeconds < 60; sweep += 1) {
      if (sweep > 0) await step.sleep(`wait-${sweep}`, `${intervalSeconds}s`);
      const found = await step.run(`sweep-${sweep}`, () => scheduleInactiveConversations(db()));
      runs += found.runs;
    }
    return { runs };
  },
);
