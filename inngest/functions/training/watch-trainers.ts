import { db } from "@/db/pool";
import { workerStarted } from "@/server/platform/jobs/events";
import { forgetOldCommands } from "@/server/services/trainers";
import { inngest } from "../../client";
import { pollOptions } from "../../turns";

export const watchTrainers = inngest.createFunction(pollOptions("watch-trainers", workerStarted), async ({ step }) => {
  await step.run("forget", async () => {
    await forgetOldCommands(db());
  });
});
