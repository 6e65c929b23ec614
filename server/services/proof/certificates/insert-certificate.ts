import { NOW } from "@/db/now";
import { parityCertificates } from "@/db/schema";
import { auditActor } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { parityCertificateDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { holdCheckpoints } from "@/server/services/models";
import type { CertifiedForm } from "./schemas";

type Input = {
  checkpointId: string;
  trainerId: string;
  forms: readonly CertifiedForm[];
  deploymentId?: string | undefined;
};

/** Queues a certificate in the caller's transaction, with the event that starts it, and returns its id. */
export async function insertCertificate(tx: Ctx, { checkpointId, trainerId, forms, deploymentId }: Input) {
  await holdCheckpoints(tx, [checkpointId]);
  const id = newId("cert");
  await tx.db.insert(parityCertificates).values({
    projectId: tx.projectId,
    id,
    checkpointId,
    forms: forms.map(({ kind, quantization }) => ({ kind, quantization })),
    deploymentId: deploymentId ?? null,
    status: "queued",
    trainerId,
    dueAt: NOW,
    actorKind: tx.actor.kind,
    actorId: auditActor(tx.actor).id,
    updatedAt: NOW,
  });
  await emit(tx.db, parityCertificateDue.create({ projectId: tx.projectId, certificateId: id }));
  return id;
}
