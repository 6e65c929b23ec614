import type { Sql } from "postgres";

type Stored = {
  datasetId: string;
  /** Our id of its conversation. */
  conversationId: string;
  ask: string;
  answer: string;
  /** The conversation's own answer, if another one is proposed. */
  rejected?: string;
  reason?: string;
  createdAt?: number;
};

const message = (role: string, content: string) => ({ role, content });
const output = (content: string) => ({ type: "chat_message", message: message("assistant", content) });

/** Stores a candidate as collection would; returns its id. */
export async function storeCandidate(sql: Sql, projectId: string, candidate: Stored): Promise<string> {
  const id = `cand_${crypto.randomUUID().replaceAll("-", "")}`;
  const { datasetId, conversationId, ask, answer, rejected } = candidate;
  const payload = {
    input: { type: "chat", messages: [message("user", ask)] },
    expectedOutput: output(answer),
    ...(rejected === undefined ? {} : { rejectedOutput: output(rejected) }),
  };
  await sql`insert into example_candidates ${sql({
    project_id: projectId,
    id,
    dataset_id: datasetId,
    objective: rejected === undefined ? "preserve_successful_behavior" : "correct_failed_conversations",
    reason_code: rejected === undefined ? "thumbs_up" : "recovered_answer",
    reason: candidate.reason ?? "The user gave this answer a thumbs-up.",
    source_kind: "conversation",
    conversation_id: conversationId,
    turn: 1,
    payload: sql.json(payload),
    content_hash: id,
    provenance_key: id,
    signature: [],
    bands: [],
    ...(candidate.createdAt === undefined ? {} : { created_at: candidate.createdAt }),
  })}`;
  return id;
}
