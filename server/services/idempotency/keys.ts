import { randomUUID } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { idempotencyKeys } from "@/db/schema";
import { type Actor, type Ctx, idOfActor } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { seal, unseal } from "@/server/platform/seal";
import { hmac } from "./hmac";

/** How long the first response is replayed. */
export const RESPONSE_RETENTION_MS = 24 * 60 * 60_000;
/** The claim of a process that died expires after this long; a live process renews it in time. */
export const LEASE_MS = 20_000;

/** An HTTP response, as it is stored and replayed. */
export type StoredResponse = { status: number; headers: Record<string, string>; body: string };
/** A request that a client may retry under its key. */
export type KeyedRequest = { key: string; method: string; path: string; body: Uint8Array };
/** The exclusive right to process one request. `sealing` is derived from the client's key and stored nowhere. */
export type Claim = { projectId: string; id: string; token: string; sealing: Buffer };

const holderOf = (actor: Actor) => idOfActor(actor) ?? actor.kind;

/**
 * Claims a request for this process, or returns the response that it already has. Throws `unprocessable` when the key was
 * used for another request, and `conflict` while the first one is still running.
 */
export async function claimKey(
  ctx: Ctx,
  { key, method, path, body }: KeyedRequest,
): Promise<{ claim: Claim } | { response: StoredResponse }> {
  const whose = [ctx.projectId, holderOf(ctx.actor), key];
  const id = hmac("id", whose).toString("base64url");
  // The purpose is part of stored data: it must not change.
  const sealing = hmac("answer", whose);
  const fingerprint = hmac("request", [method, path, body]).toString("base64url");
  const token = randomUUID();
  const [row] = await ctx.db.execute<{
    token: string;
    fingerprint: string;
    status: number | null;
    answer: string | null;
    lease_until: string;
    now: string;
  }>(sql`
    with claimed as (
      insert into idempotency_keys as k (project_id, id, fingerprint, token, lease_until, created_at)
      values (${ctx.projectId}, ${id}, ${fingerprint}, ${token}, ${NOW} + ${LEASE_MS}::bigint, ${NOW})
      on conflict (project_id, id) do update
        set fingerprint = excluded.fingerprint, token = excluded.token, lease_until = excluded.lease_until,
            status = null, answer = null, created_at = excluded.created_at
        where k.created_at <= ${NOW} - ${RESPONSE_RETENTION_MS}::bigint
           or (k.status is null and not k.lease_until between ${NOW} and ${NOW} + ${2 * LEASE_MS}::bigint and k.fingerprint = excluded.fingerprint)
      returning token, fingerprint, status, answer, lease_until
    )
    select *, ${NOW} as now from claimed
    union all
    select token, fingerprint, status, answer, lease_until, ${NOW} as now from idempotency_keys
    where project_id = ${ctx.projectId} and id = ${id} and not exists (select from claimed)`);
  if (row?.token === token) return { claim: { projectId: ctx.projectId, id, token, sealing } };
  if (row && row.fingerprint !== fingerprint) {
    throw new ServiceError("unprocessable", "This Idempotency-Key was used for another request. Use a new one.");
  }
  // No row: another request has only just inserted it, or the project is being deleted.
  if (!row || row.status === null || row.answer === null) {
    throw new ServiceError("conflict", "The first request with this Idempotency-Key is still running.", {
      retryAfter: row ? Math.max(1, Math.ceil((Number(row.lease_until) - Number(row.now)) / 1000)) : 1,
    });
  }
  return {
    response: { status: row.status, ...(JSON.parse(unseal(sealing, row.answer)) as Omit<StoredResponse, "status">) },
  };
}

const mine = ({ projectId, id, token }: Claim) =>
  and(eq(idempotencyKeys.projectId, projectId), eq(idempotencyKeys.id, id), eq(idempotencyKeys.token, token));

/** Renews the lease of a claim while its request is processed. */
export const renewClaim = (db: Db, claim: Claim) =>
  db
    .update(idempotencyKeys)
    .set({ leaseUntil: sql`${NOW} + ${LEASE_MS}::bigint` })
    .where(mine(claim));

/** Stores the response. Throws `conflict` when another request has taken the claim over: the transaction rolls back. */
export async function storeResponse(db: Db, claim: Claim, { status, ...rest }: StoredResponse) {
  const stored = await db
    .update(idempotencyKeys)
    .set({ status, answer: seal(claim.sealing, JSON.stringify(rest)) })
    .where(mine(claim))
    .returning({ id: idempotencyKeys.id });
  if (!stored.length) throw new ServiceError("conflict", "This request took too long and was taken over by another.");
}

/** Releases the claim so that the request can be retried at once. A response that was committed after all stays. */
export const releaseClaim = (db: Db, claim: Claim) =>
  db.delete(idempotencyKeys).where(and(mine(claim), isNull(idempotencyKeys.status)));
