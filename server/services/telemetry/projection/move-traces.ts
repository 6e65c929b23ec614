import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import { moveExamples } from "@/server/services/datasets/links";
import { moveOwnLabels } from "../conversations/own-labels";
import { moveFeedback } from "../feedback";
import { moveCallsWithTraces } from "../ingest/place-traces";

/** A trace, the conversation that it leaves, and the one that it goes to. */
export type MovingTrace = { trace_id: string; left: string; into: string };

/**
 * Moves traces with what belongs to them, and deletes the conversations that have none left. Their rows must be locked. The
 * conversations that they go to have to be rebuilt.
 */
export async function moveTraces(tx: Db, projectId: string, moved: readonly MovingTrace[]) {
  for (const { trace_id, left, into } of moved) {
    await tx.execute(sql`
      update traces set conversation_id = ${into}
      where project_id = ${projectId} and id = ${trace_id} and conversation_id = ${left}`);
  }
  await moveCallsWithTraces(
    tx,
    projectId,
    moved.map(({ trace_id }) => trace_id),
  );
  const from = moved.map(({ trace_id, left }) => ({ trace_id, from: left }));
  await moveOwnLabels(tx, projectId, from);
  await moveFeedback(tx, projectId, from);
  await moveExamples(tx, projectId, from);
  await tx.execute(sql`
    delete from conversations c
    where c.project_id = ${projectId} and c.id = any(${textArray(moved.map(({ left }) => left))})
      and not exists (select 1 from traces t where t.project_id = c.project_id and t.conversation_id = c.id)`);
}
