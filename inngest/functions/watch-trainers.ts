import { db } from "@/db/pool";
import { workerStarted } from "@/server/platform/jobs/events";
import { forgetOldCommands, refreshTrainers } from "@/server/services/trainers";
import { inngest } from "../client";
import { pollOptions } from "../turns";

/** Not a project: the key under which these outbound calls are counted against the concurrency limit. */
const INSTALLATION = "installation";

export const watchTrainers = inngest.createFunction(pollOptions("watch-trainers", workerStarted), async ({ step }) => {
  await step.run("ask", () => refreshTrainers({ db: db(), projectId: INSTALLATION }));
  await step.run("forget", async () => {
    await forgetOldCommands(db());
  });
});
