import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { forgetOldCommands, refreshTrainers } from "@/server/services/fine-tuning";
import { inngest } from "../client";

/** Of no project: whose share of the outbound calls it uses. */
const INSTALLATION = "installation";

export const watchTrainers = inngest.createFunction(
  {
    ...functionOptions("watch-trainers"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    await step.run("ask", () => refreshTrainers({ db: db(), projectId: INSTALLATION }));
    await step.run("forget", async () => {
      await forgetOldCommands(db());
    });
  },
);
