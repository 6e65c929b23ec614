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

type Choice = Pick<EvaluationChoice, "kind" | "findingId">;

/** Queues a prepared evaluation in the caller's transaction, with the event that starts it, and returns its id. */
export async function insertEvaluation(
  tx: Ctx,
  { kind, findingId }: Choice,
  { compared, dataset, rule, rows: chosen, selection, floors }: PreparedEvaluation,
): Promise<string> {
  const rows = await stillThere(tx, dataset, chosen);
  if (rows.length === 0)
    throw new ServiceError("conflict", "The Examples or conversations to compare have just been deleted. Try again.");
  if ("checkpointId" in compared) await holdCheckpoints(tx, [compared.checkpointId, compared.baselineCheckpointId]);
  const id = newId("eval");
  await tx.db.insert(evaluations).values({
    projectId: tx.projectId,
    id,
    kind,
    ...columnsOf(compared),
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
      tries: await triesOf(tx, findingId, compared),
    },
    dueAt: NOW,
    actorKind: tx.actor.kind,
    actorId: auditActor(tx.actor).id,
    updatedAt: NOW,
  });
  const stored = rows.map(
    ({ datasetId, exampleId, conversationId, prompt, request, expected, reference, group }, n) => ({
      n,
      reference,
      group_number: group,
      dataset_id: datasetId,
      example_id: exampleId,
      conversation_id: conversationId,
      prompt,
      request,
      expected,
    }),
  );
  const columns =
    "n int, dataset_id text, example_id text, conversation_id text, prompt jsonb, request jsonb, expected text, reference text, group_number int";
  await tx.db.execute(sql`
    insert into evaluation_rows (project_id, evaluation_id, n, dataset_id, example_id, conversation_id, prompt, request, expected,
      reference, group_number)
    select ${tx.projectId}, ${id}, t.n, t.dataset_id, t.example_id, t.conversation_id, t.prompt, t.request, t.expected, t.reference,
      t.group_number
    from ${rowsOf(stored, columns)}`);
  await emit(tx.db, evaluationDue.create({ projectId: tx.projectId, evaluationId: id }));
  return id;
}

const columnsOf = (compared: PreparedEvaluation["compared"]) =>
  "checkpointId" in compared ? compared : { ...compared, maxCost: compared.maxCost?.toString() ?? null };

/** Returns how many checkpoints and variants have been tried on the Finding, this one included: one of many wins by chance. */
async function triesOf(
  tx: Ctx,
  findingId: string | undefined,
  compared: PreparedEvaluation["compared"],
): Promise<number> {
  if (findingId === undefined) return 1;
  const tried = "checkpointId" in compared ? compared.checkpointId : compared.variantId;
  const [row] = await tx.db.execute<{ others: number }>(sql`
    select count(distinct coalesce(checkpoint_id, variant_id))::int as others from evaluations
    where project_id = ${tx.projectId} and finding_id = ${findingId} and status = 'succeeded'
      and coalesce(checkpoint_id, variant_id) <> ${tried}`);
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
