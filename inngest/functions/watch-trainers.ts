import { db } from "@/db/pool";
import { forgetOldCommands, refreshTrainers } from "@/server/services/fine-tuning";
import { inngest } from "../client";
import { pollOptions } from "../turns";

/** Of no project: whose share of the outbound calls it uses. */
const INSTALLATION = "installation";

export const watchTrainers = inngest.createFunction(pollOptions("watch-trainers"), async ({ step }) => {
  await step.run("ask", () => refreshTrainers({ db: db(), projectId: INSTALLATION }));
  await step.run("forget", async () => {
    await forgetOldCommands(db());
  });
});
