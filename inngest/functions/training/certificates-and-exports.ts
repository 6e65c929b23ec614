import { db } from "@/db/pool";
import { modelExportDue, parityCertificateDue } from "@/server/platform/jobs/events";
import { runExport, wakeExports } from "@/server/services/model-exports";
import { runCertificate, wakeCertificates } from "@/server/services/proof";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inPasses, inTurns, pollOptions, turnOptions } from "../../turns";

const CERTIFY = "run-parity-certificate";
const EXPORT = "run-model-export";
/** The start is followed closely; after that, the poll takes over, since the work may take hours. */
const TURNS = { turns: 5, pause: "2s" };

export const runParityCertificates = inngest.createFunction(
  { ...turnOptions(CERTIFY, "certificateId"), triggers: [parityCertificateDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runCertificate(jobContext(CERTIFY, data.projectId), data.certificateId)),
);

export const runModelExports = inngest.createFunction(
  { ...turnOptions(EXPORT, "exportId"), triggers: [modelExportDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runExport(jobContext(EXPORT, data.projectId), data.exportId)),
);

export const pollCertificatesAndExports = inngest.createFunction(
  pollOptions("poll-certificates-and-exports"),
  ({ step }) =>
    inPasses(step, (n) =>
      step.run(`wake-${n}`, async () => (await wakeCertificates(db())) + (await wakeExports(db()))),
    ),
);
