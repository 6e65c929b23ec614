import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { textArray } from "@/db/rows";
import { feedback } from "@/db/schema";
import { insertRows } from "@/db/sets";
import { newId } from "@/server/platform/ids";
import type { SentFeedback } from "../otlp/types";
import { identityOf } from "./feedback-rows";

const US_PER_MS = 1000;

/** Stores the feedback that rebuilt conversations' telemetry reports, and deletes what it no longer reports. */
export async function writeSentFeedback(
  tx: Db,
  projectId: string,
  conversations: readonly { id: string; feedback: readonly SentFeedback[] }[],
) {
  const stored = await tx.execute<{ identity: string }>(sql`
    select identity from feedback
    where project_id = ${projectId} and conversation_id = any(${textArray(conversations.map(({ id }) => id))})
      and source = 'otlp'`);
  const gone = new Set([...stored].map(({ identity }) => identity));
  const rows = new Map<string, ReturnType<typeof rowOf>>();
  for (const { id, feedback: sent } of conversations) {
    for (const one of sent) {
      const row = rowOf(id, one);
      rows.set(row.identity, row);
      gone.delete(row.identity);
    }
  }
  if (gone.size > 0) {
    await tx.execute(sql`
      delete from feedback where project_id = ${projectId} and identity = any(${textArray([...gone])})`);
  }
  await insertRows(tx, feedback, {
    same: { project_id: projectId, source: "otlp" },
    rows: [...rows.values()],
    left: ["conversation_ref", "created_at", "updated_at"],
    onConflict: { on: ["project_id", "identity"], keep: ["id"], changedOnly: true },
  });
}

function rowOf(
  conversationId: string,
  { traceId, spanId, name, kind, value, comment, evaluatorKind, givenByUser, atUs }: SentFeedback,
) {
  return {
    id: newId("fbk"),
    conversation_id: conversationId,
    trace_id: traceId,
    span_id: spanId,
    kind,
    name,
    value,
    scale_min: null,
    scale_max: null,
    comment,
    evaluator_kind: evaluatorKind,
    given_by_user: givenByUser,
    identity: identityOf({ conversationRef: null, traceId, spanId, name }, kind, value),
    given_at: Math.floor(atUs / US_PER_MS),
  };
}
