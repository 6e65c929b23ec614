import { and, desc, eq, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { checkpoints, parityCertificates } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import type { TrainerProblem } from "@/server/services/trainers";
import { type CertificateRow, certificateJson } from "./certificate-rows";
import { insertCertificate } from "./insert-certificate";
import type { CertifiedForm } from "./schemas";

/** The form to publish or serve; `null`: the checkpoint itself, which needs no comparison. */
type Form = { kind: string; quantization: string | null } | null;
type Input = {
  checkpointId: string;
  trainerId: string;
  form: Form;
  /** A comparison that failed before this time (Unix ms) is repeated. */
  since?: number;
};
type Parity = {
  status: "passed" | "failed" | "waiting";
  certificateId: string | null;
  /** Why the comparison failed, or why it could not be made. */
  problem?: TrainerProblem;
};

/** Without `since`: how long a failed comparison counts before it is repeated. */
const FAILURE_COUNTS_MS = 600_000;

/**
 * Returns whether a form answers like its checkpoint, according to the newest certificate that covers it. If there is none,
 * queues one and returns `waiting` until it is ready. Safe to call repeatedly: there is only one comparison of a form at a
 * time.
 */
export async function ensureParity(ctx: Ctx, input: Input): Promise<Parity> {
  const { checkpointId, trainerId, form } = input;
  if (form === null) return { status: "passed", certificateId: null };
  const known = await knownParity(ctx, input, form);
  if (known) return known;
  return inTransaction(ctx, async (tx) => {
    await tx.db
      .select({ id: checkpoints.id })
      .from(checkpoints)
      .where(and(eq(checkpoints.projectId, tx.projectId), eq(checkpoints.id, checkpointId)))
      .for("update");
    const queued = await knownParity(tx, input, form);
    if (queued) return queued;
    const certificateId = await insertCertificate(tx, { checkpointId, trainerId, forms: [form as CertifiedForm] });
    return { status: "waiting", certificateId };
  });
}

async function knownParity(
  ctx: Ctx,
  { checkpointId, since }: Input,
  { kind, quantization }: NonNullable<Form>,
): Promise<Parity | null> {
  const form = JSON.stringify([{ kind, quantization }]);
  const [row] = await ctx.db
    .select()
    .from(parityCertificates)
    .where(
      and(
        eq(parityCertificates.projectId, ctx.projectId),
        eq(parityCertificates.checkpointId, checkpointId),
        sql`${parityCertificates.forms} @> ${form}::jsonb`,
      ),
    )
    .orderBy(desc(parityCertificates.createdAt), desc(parityCertificates.id))
    .limit(1);
  if (!row) return null;
  if (row.finishedAt === null) return { status: "waiting", certificateId: row.id };
  if (row.status === "ready") return judged(row, kind, quantization);
  const countsFrom = since ?? (await databaseNow(ctx.db)) - FAILURE_COUNTS_MS;
  if (row.finishedAt < countsFrom) return null;
  return { status: "failed", certificateId: row.id, problem: row.error as TrainerProblem };
}

/** A certificate that covers several forms may have failed because of another one. */
function judged(row: CertificateRow, kind: string, quantization: string | null): Parity {
  const subject = certificateJson(row).subjects?.find(
    (one) => one.deploymentId === null && one.kind === kind && one.quantization === quantization,
  );
  const isPassed = subject
    ? subject.error === null && (subject.verdict === "same" || subject.verdict === "close")
    : false;
  if (isPassed) return { status: "passed", certificateId: row.id };
  return { status: "failed", certificateId: row.id, ...(subject?.error ? { problem: subject.error } : {}) };
}
