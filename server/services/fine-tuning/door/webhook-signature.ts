import { createHmac, timingSafeEqual } from "node:crypto";
import { notFound, ServiceError } from "@/server/platform/errors";
import { publicUrl } from "@/server/platform/public-url";
import { derivedSecret } from "@/server/platform/secrets";
import { namedTrainer } from "../trainers/attachment";

/** A delivery older than this, or this far in the future, may be a replay. */
const WINDOW_MS = 5 * 60_000;

/** Of one job: a trainer that holds it can report on that job only. */
const secretOf = (jobId: string) => createHmac("sha256", derivedSecret("trainer-webhooks")).update(jobId).digest("hex");

/** Returns where a trainer that we call reports a job's events, and the secret that it signs them with. */
export const trainingWebhook = (jobId: string) => ({
  url: publicUrl(`api/trainer/v1/webhook/${encodeURIComponent(jobId)}`),
  secret: secretOf(jobId),
});

export const signatureOf = (jobId: string, timestamp: number, body: Uint8Array) =>
  createHmac("sha256", secretOf(jobId)).update(`${timestamp}.`).update(body).digest("hex");

/** Throws unless the body was signed for this job within the last minutes. `t` is in Unix seconds. */
export function requireSignature(jobId: string, header: string | null, body: Uint8Array, now = Date.now()): void {
  if (!namedTrainer()) throw notFound("This address");
  const [, seconds, given = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "") ?? [];
  const expected = Buffer.from(signatureOf(jobId, Number(seconds), body));
  const isSigned = given.length === expected.length && timingSafeEqual(Buffer.from(given), expected);
  if (!isSigned || Math.abs(now - Number(seconds) * 1000) > WINDOW_MS) {
    throw new ServiceError("unauthenticated", "The signature is missing, wrong or too old.");
  }
}
