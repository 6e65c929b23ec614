import { db } from "@/db/pool";
import { scheduleQuietConversations } from "@/server/services/diagnostics";
import { listed } from "../catalogue";
import { inngest } from "../client";
import { quietSweepRequested } from "../events";

/** A schedule's finest grain is a minute; looking four times in it finds a quiet conversation within 15 seconds. */
const SWEEPS_A_MINUTE = 4;
const BETWEEN_SWEEPS = "15s";

export const diagnoseQuietConversations = inngest.createFunction(
  {
    ...listed("diagnose-quiet-conversations"),
    triggers: [{ cron: "* * * * *" }, quietSweepRequested],
    // Two sweeps at once would only find the same.
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    let runs = 0;
    for (let sweep = 0; sweep < SWEEPS_A_MINUTE; sweep += 1) {
      if (sweep > 0) await step.sleep(`wait-${sweep}`, BETWEEN_SWEEPS);
      const found = await step.run(`sweep-${sweep}`, () => scheduleQuietConversations(db()));
      runs += found.runs;
    }
    return { runs };
  },
);
