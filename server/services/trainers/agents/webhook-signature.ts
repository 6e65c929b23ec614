import { createHmac, timingSafeEqual } from "node:crypto";
import { notFound, ServiceError } from "@/server/platform/errors";
import { namedTrainer } from "../attachment";

/** A delivery older than this, or this far in the future, may be a replay. */
const WINDOW_MS = 5 * 60_000;

/** Returns the signature of a report at a time in Unix seconds. The shared secret is the trainer's token. */
export const signatureOf = (token: string, timestamp: number, body: Uint8Array) =>
  createHmac("sha256", token).update(`${timestamp}.`).update(body).digest("hex");

const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Throws unless the trainer that we call signed the body within the allowed time window. */
export function requireSignature(header: string | null, body: Uint8Array, now = Date.now()): void {
  const trainer = namedTrainer();
  if (!trainer) throw notFound("This address");
  const [, seconds, given = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "") ?? [];
  const timestamp = Number(seconds);
  if (!isSame(given, signatureOf(trainer.token, timestamp, body)) || Math.abs(now - timestamp * 1000) > WINDOW_MS) {
    throw new ServiceError("unauthenticated", "The signature is missing, wrong or too old.");
  }
}
