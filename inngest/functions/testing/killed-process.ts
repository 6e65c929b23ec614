import { runCollectionPass } from "@/server/services/collection";
import { approveCandidate, nextCandidate, rejectCandidate, runImport } from "@/server/services/datasets";
import { getExport, runExport } from "@/server/services/model-exports";
import { runCertificate, runEvaluation, runJudging } from "@/server/services/proof";
import { runSampleLoad } from "@/server/services/sample";
import { runDeployment } from "@/server/services/serving";
import { runRemoval, runTrainingJob } from "@/server/services/training";
import { jobContext } from "../../job-context";

/** For tests: continues a piece of work, once it is told to, until it is done or killed. */
const [work = "", projectId = "", id = "", userId = ""] = process.argv.slice(2);

const WORK: Record<string, () => Promise<void>> = {
  async import() {
    while (!(await runImport(jobContext("import-examples", projectId), id, { forMs: 60_000 })).done);
  },
  async collection() {
    while (!(await runCollectionPass(jobContext("collect-past", projectId), id, { forMs: 60_000 })).done);
  },
  async sample() {
    while (!(await runSampleLoad(jobContext("load-sample", projectId), { forMs: 60_000 })).done);
  },
  async training() {
    while (!(await runTrainingJob(jobContext("run-training-job", projectId), id)).done);
  },
  async removal() {
    while (!(await runRemoval(jobContext("remove-training-files", projectId), id)).done);
  },
  async deployment() {
    while (!(await runDeployment(jobContext("run-deployment", projectId), id)).done);
  },
  /** Together with its certificate, as the two functions do. */
  async export() {
    const ctx = jobContext("run-model-export", projectId);
    while (!(await runExport(ctx, id)).done) {
      const { certificateId } = (await getExport(ctx, { exportId: id })).export;
      if (certificateId !== null) await runCertificate(ctx, certificateId);
    }
  },
  async evaluation() {
    while (!(await runEvaluation(jobContext("run-evaluation", projectId), id)).done);
  },
  async judging() {
    while (!(await runJudging(jobContext("judge-evaluation", projectId), id)).done);
  },
  /** Every third candidate is rejected, whichever process decides. */
  async review() {
    const ctx = { ...jobContext("review", projectId), actor: { kind: "user", userId, role: "owner" } as const };
    for (;;) {
      const { candidate } = await nextCandidate(ctx, { datasetId: id });
      if (!candidate) return;
      const { id: candidateId, source } = candidate;
      const isRejected = Number(/about \D+(\d+)word/.exec(JSON.stringify(candidate.payload))?.[1]) % 3 === 0;
      if (isRejected) await rejectCandidate(ctx, { candidateId, reason: `Not good: message ${source.turn}` });
      else await approveCandidate(ctx, { candidateId });
    }
  },
};

process.once("message", async () => {
  await WORK[work]!();
  process.exit();
});
process.send?.("ready");
