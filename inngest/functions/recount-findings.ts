import { db } from "@/db/pool";
import { listed } from "@/server/platform/jobs/catalogue";
import { recountDueFindings } from "@/server/services/diagnostics";
import { inngest } from "../client";

export const recountFindings = inngest.createFunction(
  {
    ...listed("recount-findings"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry: what is due stays due.
    retries: 0,
  },
  async ({ step }) => step.run("recount", () => recountDueFindings(db())),
);
