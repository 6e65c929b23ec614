import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { rowsOf, textArray } from "@/db/rows";
import { evaluations } from "@/db/schema";
import { auditActor } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { evaluationDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { requireDataset } from "@/server/services/datasets";
import { holdCheckpoints } from "@/server/services/models";
import type { EvaluationChoice, NewRow, PreparedEvaluation } from "./prepare-evaluation";

/** Queues a prepared evaluation in the caller's transaction, with the event that starts it, and returns its id. */
export async function insertEvaluation(
  tx: Ctx,
  { checkpointId, kind, findingId }: EvaluationChoice,
  { trainerId, baselineCheckpointId, dataset, rule, rows: chosen, selection, floors }: PreparedEvaluation,
): Promise<string> {
  const rows = await stillThere(tx, dataset, chosen);
  if (rows.length === 0)
    throw new ServiceError("conflict", "The Examples or conversations to compare have just been deleted. Try again.");
  await holdCheckpoints(tx, [checkpointId, baselineCheckpointId]);
  const id = newId("eval");
  await tx.db.insert(evaluations).values({
    projectId: tx.projectId,
    id,
    kind,
    checkpointId,
    baselineCheckpointId,
    datasetId: dataset?.id ?? null,
    datasetVersion: dataset?.version ?? null,
    findingId: findingId ?? null,
    ruleId: rule?.ruleId ?? null,
    ruleVersion: rule?.version ?? null,
    ruleConfiguration: rule && { ...rule.configuration, signal: rule.signal },
    status: "queued",
    total: rows.length,
    summary: {
      selection: { ...selection, selected: rows.length },
      floors,
      tries: await triesOf(tx, findingId, checkpointId),
    },
    trainerId,
    dueAt: NOW,
    actorKind: tx.actor.kind,
    actorId: auditActor(tx.actor).id,
    updatedAt: NOW,
  });
  const stored = rows.map(({ datasetId, exampleId, conversationId, prompt, expected, reference, group }, n) => ({
    n,
    reference,
    group_number: group,
    dataset_id: datasetId,
    example_id: exampleId,
    conversation_id: conversationId,
    prompt,
    expected,
  }));
  const columns =
    "n int, dataset_id text, example_id text, conversation_id text, prompt jsonb, expected text, reference text, group_number int";
  await tx.db.execute(sql`
    insert into evaluation_rows (project_id, evaluation_id, n, dataset_id, example_id, conversation_id, prompt, expected,
      reference, group_number)
    select ${tx.projectId}, ${id}, t.n, t.dataset_id, t.example_id, t.conversation_id, t.prompt, t.expected, t.reference,
      t.group_number
    from ${rowsOf(stored, columns)}`);
  await emit(tx.db, evaluationDue.create({ projectId: tx.projectId, evaluationId: id }));
  return id;
}

/** Returns how many checkpoints have been tried on the Finding, this one included: one of many wins by chance. */
async function triesOf(tx: Ctx, findingId: string | undefined, checkpointId: string): Promise<number> {
  if (findingId === undefined) return 1;
  const [row] = await tx.db.execute<{ others: number }>(sql`
    select count(distinct checkpoint_id)::int as others from evaluations
    where project_id = ${tx.projectId} and finding_id = ${findingId} and status = 'succeeded'
      and checkpoint_id <> ${checkpointId}`);
  return 1 + (row?.others ?? 0);
}

/**
 * Drops rows whose source was erased after it was chosen, and locks the rest against erasure until the end of the transaction.
 */
async function stillThere(tx: Ctx, dataset: PreparedEvaluation["dataset"], rows: NewRow[]): Promise<NewRow[]> {
  const idsOf = async (query: SQL) => new Set([...(await tx.db.execute<{ id: string }>(query))].map(({ id }) => id));
  if (dataset) {
    await requireDataset(tx, dataset.id);
    const ids = textArray(rows.map(({ exampleId }) => exampleId ?? ""));
    const left = await idsOf(sql`
      select distinct example_id as id from example_revisions
      where project_id = ${tx.projectId} and dataset_id = ${dataset.id} and example_id = any(${ids})`);
    return rows.filter(({ exampleId }) => left.has(exampleId ?? ""));
  }
  const ids = textArray(rows.map(({ conversationId }) => conversationId ?? ""));
  const left = await idsOf(sql`
    select id from conversations where project_id = ${tx.projectId} and id = any(${ids}) order by id for key share`);
  return rows.filter(({ conversationId }) => left.has(conversationId ?? ""));
}
