import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { recountDueFindings } from "@/server/services/diagnostics";
import { inngest } from "../client";

export const recountFindings = inngest.createFunction(
  {
    ...functionOptions("recount-findings"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => step.run("recount", () => recountDueFindings(db())),
);
