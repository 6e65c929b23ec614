import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { modelExportDue, parityCertificateDue } from "@/server/platform/jobs/events";
import { runCertificate, runExport, wakeCertificates, wakeExports } from "@/server/services/fine-tuning";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const CERTIFY = "run-parity-certificate";
const EXPORT = "run-model-export";
/** The beginning is followed closely; then the poll follows what may last for hours. */
const TURNS = 5;
const PAUSE = "2s";
const AT_ONCE = 4;
/** A trainer's failures are handled by the service; these are the database's. The poll wakes what is left over. */
const RETRIES = 5;

export const runParityCertificates = inngest.createFunction(
  {
    ...functionOptions(CERTIFY),
    triggers: [parityCertificateDue],
    concurrency: [
      { limit: 1, key: "event.data.certificateId" },
      { limit: AT_ONCE, key: "event.data.projectId" },
    ],
    retries: RETRIES,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(CERTIFY, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      if (n > 0) await step.sleep(`wait-${n}`, PAUSE);
      const { done } = await step.run(`turn-${n}`, () => runCertificate(ctx, data.certificateId));
      if (done) return { done };
    }
    return { done: false };
  },
);

export const runModelExports = inngest.createFunction(
  {
    ...functionOptions(EXPORT),
    triggers: [modelExportDue],
    concurrency: [
      { limit: 1, key: "event.data.exportId" },
      { limit: AT_ONCE, key: "event.data.projectId" },
    ],
    retries: RETRIES,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(EXPORT, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      if (n > 0) await step.sleep(`wait-${n}`, PAUSE);
      const { done } = await step.run(`turn-${n}`, () => runExport(ctx, data.exportId));
      if (done) return { done };
    }
    return { done: false };
  },
);

/** Cron's resolution is a minute, and progress should be seen sooner. */
const PASSES = 3;
const INTERVAL = "20s";

export const pollCertificatesAndExports = inngest.createFunction(
  {
    ...functionOptions("poll-certificates-and-exports"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    for (let pass = 0; pass < PASSES; pass += 1) {
      if (pass > 0) await step.sleep(`wait-${pass}`, INTERVAL);
      await step.run(`wake-${pass}`, async () => (await wakeCertificates(db())) + (await wakeExports(db())));
    }
  },
);
