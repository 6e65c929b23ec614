import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { MINUTE_MS } from "@/server/platform/durations";
import { type RefusedCount, refusals } from "@/server/platform/http/telemetry-refusals";
import { derivedSecret } from "@/server/platform/secrets";

/** Returns what is stored of a sender's network: enough to recognise it, not to know it. */
export const hashOfNetwork = (network: string) =>
  createHmac("sha256", derivedSecret("telemetry-refusals")).update(network).digest("base64url").slice(0, 22);

/**
 * Adds counts to the rows of their minutes. A key's id names its project, and whether the key is revoked or has expired; what
 * names no key of ours keeps the hash of its sender's network instead.
 */
export async function storeRefusals(db: Db, counts: readonly RefusedCount[]): Promise<void> {
  const given = counts.map(({ reason, keyId, network, count, ageMs }) => ({
    reason,
    key_id: keyId,
    source: network === null ? null : hashOfNetwork(network),
    count,
    age: ageMs,
  }));
  await db.execute(sql`
    with named as (
      select k.project_id, k.id as key_id,
        case when g.reason = 'unknown_key' and (k.revoked_at is not null or k.expires_at <= clock.now)
          then 'inactive_key' else g.reason end as reason,
        case when k.id is null then g.source end as source,
        g.count, clock.now - g.age as at
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
          as g(reason text, key_id text, source text, count bigint, age bigint)
        cross join (select ${NOW} as now) clock
        left join api_keys k on k.id = g.key_id
    )
    insert into telemetry_refusals as r (project_id, key_id, source, reason, minute, count, last_at)
    select project_id, key_id, source, reason, at / ${MINUTE_MS}::bigint * ${MINUTE_MS}::bigint as minute,
      sum(count), max(at)
    from named group by project_id, key_id, source, reason, minute
    -- One order in all processes, which otherwise could wait for each other.
    order by project_id, minute, reason, key_id, source
    on conflict on constraint telemetry_refusals_row
      do update set count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at)`);
}

refusals.storeWith((counts) => storeRefusals(db(), counts));
