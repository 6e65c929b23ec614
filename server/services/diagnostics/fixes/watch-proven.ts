import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { fixes } from "@/db/schema";
import type { PromptContent } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { isFilledFrom } from "@/server/platform/text/template";
import { DEFAULT_LABEL } from "@/server/services/prompts/schemas";
import { insertFix } from "./insert-fix";
import { firstWith } from "./marks";
import { DAYS_SINCE_FIX } from "./measure-fix";

/** Proofs of variants that a prompt is compared with, the newest first. */
const PROOFS_MAX = 200;

/** A prompt's version that clients get. */
type ServedPrompt = { name: string; version: number; content: PromptContent };

/**
 * Watches the Findings that a checkpoint was proven to fix from when it answers under a model's name, in the transaction of
 * the switch. Fixes by this name that are watched end: other weights answered then.
 */
export async function watchDeployed(tx: Ctx, { checkpointId, model }: { checkpointId: string; model: string }) {
  await tx.db
    .update(fixes)
    .set({ endedAt: NOW, endReason: "replaced", dueAt: null })
    .where(
      and(
        eq(fixes.projectId, tx.projectId),
        eq(fixes.by, "model"),
        eq(fixes.value, model),
        isNotNull(fixes.startedAt),
        isNull(fixes.endedAt),
      ),
    );
  const proven = await tx.db.execute<{ id: string }>(sql`
    select finding_id as id from evaluations
    where project_id = ${tx.projectId} and checkpoint_id = ${checkpointId} and verdict = 'proven'`);
  await watchWeights(
    tx,
    [...proven].map(({ id }) => id),
    { model, startedAt: NOW },
  );
}

/**
 * Watches the Findings that a variant with this system prompt was proven to fix, in the transaction that makes clients get
 * the prompt's version.
 */
export async function watchServedPrompt(tx: Ctx, prompt: ServedPrompt) {
  const proven = await tx.db.execute<{ id: string; system: string }>(sql`
    select e.finding_id as id, v.system_prompt as system
    from evaluations e join variants v on v.project_id = e.project_id and v.id = e.variant_id
    where e.project_id = ${tx.projectId} and e.verdict = 'proven' and v.system_prompt is not null
    order by e.created_at desc limit ${PROOFS_MAX}`);
  const text = systemTextOf(prompt.content);
  await watchPrompt(
    tx,
    [...proven].filter(({ system }) => isFilledFrom(text, system)).map(({ id }) => id),
    prompt,
  );
}

/** Watches a Finding where its fix went out before the proof ended, in the transaction that ends it. */
export async function watchProven(
  tx: Ctx,
  { findingId, checkpointId, variantId }: { findingId: string; checkpointId: string | null; variantId: string | null },
) {
  const running = await tx.db.execute<{ name: string; started_at: string }>(sql`
    select name, started_at from deployments
    where project_id = ${tx.projectId} and checkpoint_id = ${checkpointId} and purpose = 'service' and status = 'running'`);
  for (const { name, started_at } of running)
    await watchWeights(tx, [findingId], { model: name, startedAt: Number(started_at) });
  for (const { system, ...prompt } of await servedPrompts(tx, variantId))
    if (isFilledFrom(systemTextOf(prompt.content), system)) await watchPrompt(tx, [findingId], prompt);
}

/** Returns the prompts that clients get, beside the system prompt of a variant that has one. */
async function servedPrompts(tx: Ctx, variantId: string | null) {
  return tx.db.execute<ServedPrompt & { system: string }>(sql`
    select p.name, s.version, s.content, v.system_prompt as system
    from variants v
    join prompt_labels l on l.project_id = v.project_id and l.label = ${DEFAULT_LABEL}
    join prompts p on p.project_id = l.project_id and p.id = l.prompt_id
    join prompt_versions s on s.project_id = l.project_id and s.prompt_id = l.prompt_id and s.version = l.version
    where v.project_id = ${tx.projectId} and v.id = ${variantId} and v.system_prompt is not null`);
}

const systemTextOf = (content: PromptContent): string =>
  typeof content === "string"
    ? content
    : content
        .filter(({ role }) => role === "system")
        .map((message) => message.content)
        .join("\n\n");

async function watchWeights(
  tx: Ctx,
  findingIds: readonly string[],
  { model, startedAt }: { model: string; startedAt: number | SQL },
) {
  for (const findingId of await lockUnmerged(tx, findingIds))
    await insertFix(tx, { findingId, by: "model", value: model, kind: "weights", startedAt });
}

/** From the first conversation with it, unless that is so long ago that the prompt was proven as it is, not as a change. */
async function watchPrompt(tx: Ctx, findingIds: readonly string[], { name, version }: ServedPrompt) {
  if (findingIds.length === 0) return;
  const value = `${name} ${version}`;
  const startedAt = await firstWith(tx, { by: "prompt", value }, 0);
  if (startedAt !== null && startedAt < (await databaseNow(tx.db)) - DAYS_SINCE_FIX * DAY_MS) return;
  for (const findingId of await lockUnmerged(tx, findingIds))
    await insertFix(tx, { findingId, by: "prompt", value, kind: "prompt", startedAt });
}

/** Returns the Findings that these are part of by now, locked so that they are not merged meanwhile. */
async function lockUnmerged(tx: Ctx, findingIds: readonly string[]): Promise<string[]> {
  const rows = await tx.db.execute<{ id: string }>(sql`
    select id from findings
    where project_id = ${tx.projectId} and merged_into_id is null and id in (
      select coalesce(merged_into_id, id) from findings
      where project_id = ${tx.projectId} and id = any(${textArray(findingIds)}))
    order by id
    for share`);
  return [...rows].map(({ id }) => id);
}
