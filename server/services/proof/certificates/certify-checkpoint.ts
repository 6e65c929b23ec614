import { and, asc, eq } from "drizzle-orm";
import { deployments, trainingArtifacts } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { requireStoredCheckpoint } from "@/server/services/models";
import { chooseTrainer, FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { answersOf, certificateJson, readCertificate } from "./certificate-rows";
import { insertCertificate } from "./insert-certificate";
import {
  type CertifiedForm,
  certificateReply,
  certifiedForm,
  certifyCheckpointInput,
  requestedCertificateReply,
} from "./schemas";

export const certifyCheckpoint = verb(
  {
    name: "certificates.create",
    summary: "Compare the answers of a checkpoint's built formats with its own, in the background.",
    description:
      "The checkpoint, each format and the deployment answer the same prompts at temperature 0; answers are compared token by token, and by the distance between the probabilities of the checkpoint's own tokens. Without `forms` and `deploymentId`: the merged model and every format that its job has built. A format that has not been built yet is built first. 409: the deployment is not running, or serves another checkpoint. 422: the checkpoint's files were deleted, or its trainer cannot build a format.",
    effect: "write",
    capability: "models:manage",
    input: certifyCheckpointInput,
    reply: certificateReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedCertificateReply },
  },
  async (ctx, { checkpointId, forms, deploymentId }) => {
    await requireTrainer(ctx);
    const { job } = await requireStoredCheckpoint(ctx, checkpointId);
    if (deploymentId !== undefined) await requireRunning(ctx, deploymentId, checkpointId);
    const chosen = forms ?? (deploymentId === undefined ? await builtForms(ctx, checkpointId) : []);
    if (chosen.length === 0 && deploymentId === undefined) {
      throw unprocessable("/forms", "Name a format or a deployment to compare with the checkpoint.");
    }
    const trainerId = await chooseTrainer(ctx, {
      ggufQuantizations: quantizationsOf(chosen, "gguf"),
      compressedQuantizations: quantizationsOf(chosen, "compressed"),
      ...(job.trainerId === null ? {} : { trainerId: job.trainerId }),
      path: "/forms",
    });
    const distinct = [...new Map(chosen.map((form) => [`${form.kind} ${form.quantization}`, form])).values()];
    const id = await insertCertificate(ctx, { checkpointId, trainerId, forms: distinct, deploymentId });
    auditNote(ctx, { target: { type: "certificate", id }, after: { checkpointId, forms: distinct, deploymentId } });
    const row = await readCertificate(ctx, id);
    return { certificate: { ...certificateJson(row), answers: answersOf(row) } };
  },
);

const quantizationsOf = (forms: readonly CertifiedForm[], kind: CertifiedForm["kind"]) =>
  forms.flatMap((form) => (form.kind === kind && form.quantization !== null ? [form.quantization] : []));

async function requireRunning({ db, projectId }: Ctx, deploymentId: string, checkpointId: string) {
  const [found] = await db
    .select({ status: deployments.status, checkpointId: deployments.checkpointId })
    .from(deployments)
    .where(and(eq(deployments.projectId, projectId), eq(deployments.id, deploymentId)));
  if (!found) throw notFound("The deployment");
  if (found.checkpointId !== checkpointId) {
    throw new ServiceError("conflict", "The deployment serves a model other than this checkpoint.");
  }
  if (found.status !== "running") {
    throw new ServiceError("conflict", `Only a running deployment can be compared; this one is ${found.status}.`);
  }
}

/** Returns the merged model and every form built from the checkpoint. */
async function builtForms({ db, projectId }: Ctx, checkpointId: string): Promise<CertifiedForm[]> {
  const built = await db
    .select({ kind: trainingArtifacts.kind, quantization: trainingArtifacts.quantization })
    .from(trainingArtifacts)
    .where(
      and(
        eq(trainingArtifacts.projectId, projectId),
        eq(trainingArtifacts.checkpointId, checkpointId),
        eq(trainingArtifacts.state, "ready"),
      ),
    )
    .orderBy(asc(trainingArtifacts.createdAt), asc(trainingArtifacts.id));
  const forms = built.flatMap((one) => {
    const parsed = certifiedForm.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
  return [{ kind: "merged-16bit", quantization: null }, ...forms];
}
