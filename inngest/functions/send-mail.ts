import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { mailQueued, passwordForgotten } from "@/server/platform/jobs/events";
import { mailForgottenReset } from "@/server/services/identity";
import { sendMail, sweepMail } from "@/server/services/mail";
import { inngest } from "../client";

/** Mail servers limit connections. */
const AT_ONCE = 3;

export const sendQueuedMail = inngest.createFunction(
  {
    ...functionOptions("send-mail"),
    triggers: [mailQueued],
    concurrency: { limit: AT_ONCE },
    // Several hours of retries: a mail server may recover before the link expires.
    retries: 20,
  },
  async ({ event: { data }, step }) => step.run("send", () => sendMail(db(), data.mailId)),
);

export const mailForgottenPassword = inngest.createFunction(
  { ...functionOptions("mail-forgotten-password"), triggers: [passwordForgotten], retries: 5 },
  async ({ event: { data }, step }) => step.run("queue", () => mailForgottenReset(db(), data)),
);

export const forgetOldMail = inngest.createFunction(
  { ...functionOptions("forget-old-mail"), triggers: [{ cron: "41 * * * *" }] },
  async ({ step }) => step.run("sweep", () => sweepMail(db())),
);
