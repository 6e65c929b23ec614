import { randomUUID } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { idempotencyKeys } from "@/db/schema";
import { type Actor, type Ctx, idOfActor } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { seal, unseal } from "@/server/platform/seal";
import { hmac } from "./hmac";

/** For how long the first answer is replayed. */
export const KEPT_MS = 24 * 60 * 60_000;
/** A process that died lets go of its request after this long; one that lives renews it in time. */
export const LEASE_MS = 20_000;

/** One answer over HTTP. */
export type Answer = { status: number; headers: Record<string, string>; body: string };
/** A request that a client may send again: its key, and what it asks. */
export type Asked = { key: string; method: string; path: string; body: Uint8Array };
/** The right to answer one request; `sealing` is of the client's key and is stored nowhere. */
export type Claim = { projectId: string; id: string; token: string; sealing: Buffer };

const holderOf = (actor: Actor) => idOfActor(actor) ?? actor.kind;

/** Claims a request for this process, or gives the answer that it had already. */
export async function claimKey(
  ctx: Ctx,
  { key, method, path, body }: Asked,
): Promise<{ claim: Claim } | { answer: Answer }> {
  const whose = [ctx.projectId, holderOf(ctx.actor), key];
  const id = hmac("id", whose).toString("base64url");
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
        where k.created_at <= ${NOW} - ${KEPT_MS}::bigint
           or (k.status is null and k.lease_until <= ${NOW} and k.fingerprint = excluded.fingerprint)
      returning token, fingerprint, status, answer, lease_until
    )
    select *, ${NOW} as now from claimed
    union all
    select token, fingerprint, status, answer, lease_until, ${NOW} as now from idempotency_keys
    where project_id = ${ctx.projectId} and id = ${id} and not exists (select from claimed)`);
  if (row?.token === token) return { claim: { projectId: ctx.projectId, id, token, sealing } };
  if (row && row.fingerprint !== fingerprint) {
    throw new ServiceError("unprocessable", "This Idempotency-Key was used for another request. Take a new one.");
  }
  // Without a row: another request inserted it this very moment, or its project is just being deleted.
  if (!row || row.status === null || row.answer === null) {
    throw new ServiceError("conflict", "The first request with this Idempotency-Key is still running.", {
      retryAfter: row ? Math.max(1, Math.ceil((Number(row.lease_until) - Number(row.now)) / 1000)) : 1,
    });
  }
  return { answer: { status: row.status, ...(JSON.parse(unseal(sealing, row.answer)) as Omit<Answer, "status">) } };
}

const mine = ({ projectId, id, token }: Claim) =>
  and(eq(idempotencyKeys.projectId, projectId), eq(idempotencyKeys.id, id), eq(idempotencyKeys.token, token));

/** Keeps the claim from running out while its request is worked on. */
export const renewClaim = (db: Db, claim: Claim) =>
  db
    .update(idempotencyKeys)
    .set({ leaseUntil: sql`${NOW} + ${LEASE_MS}::bigint` })
    .where(mine(claim));

/** Stores the answer. A claim that another request has taken over answers nothing, and undoes what it did. */
export async function keepAnswer(db: Db, claim: Claim, { status, ...rest }: Answer) {
  const kept = await db
    .update(idempotencyKeys)
    .set({ status, answer: seal(claim.sealing, JSON.stringify(rest)) })
    .where(mine(claim))
    .returning({ id: idempotencyKeys.id });
  if (!kept.length) throw new ServiceError("conflict", "This request took too long and was taken over by another.");
}

/** Lets the same request be tried again at once. An answer that was committed after all stays. */
export const releaseClaim = (db: Db, claim: Claim) =>
  db.delete(idempotencyKeys).where(and(mine(claim), isNull(idempotencyKeys.status)));
