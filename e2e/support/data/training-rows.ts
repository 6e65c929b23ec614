import type { Sql } from "postgres";

const HASH = "a".repeat(64);
const ZERO = 1_790_000_000_000;

/**
 * Stores a failed training job with its log, a checkpoint and a failed deployment of it, as a trainer would have left them:
 * with this text wherever a trainer's, a model's or a person's words are shown, and these messages in the log. Returns their ids.
 */
export async function storeTraining(sql: Sql, projectId: string, text: string, log: readonly string[]) {
  const mark = crypto.randomUUID().replaceAll("-", "");
  const ids = { jobId: `job_${mark}`, checkpointId: `ckpt_${mark}`, deploymentId: `dep_${mark}` };
  const error = sql.json({ code: text, message: text, blame: "platform", hint: text, logTail: [text] });
  /** As long as names and addresses of models may be. */
  const name = `${log[0]} ${"w".repeat(400)}`;
  const project = { project_id: projectId };
  const by = { actor_kind: "operator", updated_at: ZERO, created_at: ZERO };
  await sql`insert into training_manifests ${sql({
    ...project,
    sha256: HASH,
    dataset_id: "ds_of_before",
    dataset_version: 1,
    split: "train",
    method: "sft",
    rows: 24,
    bytes: 1000,
    file_id: "fil_of_before",
    created_at: ZERO,
  })} on conflict do nothing`;
  await sql`insert into training_jobs ${sql({
    ...project,
    ...by,
    id: ids.jobId,
    name,
    status: "failed",
    phase: text,
    error,
    dataset_id: "ds_of_before",
    dataset_version: 1,
    method: "sft",
    adapter: "lora",
    spec: sql.json({ base_model: { id: name, revision: name } }),
    resolved_spec: sql.json({ training: { [text]: text } }),
    base_model_id: name,
    manifest_sha256: HASH,
    started_at: ZERO,
    finished_at: ZERO,
  })}`;
  const events = log.map((message, n) => ({
    ...project,
    job_id: ids.jobId,
    seq: n + 1,
    attempt: 1,
    at: ZERO + n,
    level: "error",
    type: "log",
    message,
    data: sql.json({ [message]: message }),
  }));
  await sql`insert into training_events ${sql(events as never)}`;
  await sql`insert into checkpoints ${sql({
    ...project,
    id: ids.checkpointId,
    job_id: ids.jobId,
    attempt: 1,
    step_number: 12,
    kind: "adapter",
    state: "stored",
    is_best: true,
    is_final: true,
    resumable: true,
    metrics: sql.json({ [text]: 0.5, train_loss: 0.5 }),
    files: sql.json([{ path: text, size: 10, sha256: HASH }]),
    bytes: 10,
    content_sha256: HASH,
    base_model: sql.json({ id: name, revision: name }),
    created_at: ZERO,
  })}`;
  await sql`insert into deployments ${sql({
    ...project,
    ...by,
    id: ids.deploymentId,
    purpose: "service",
    name,
    checkpoint_id: ids.checkpointId,
    quantization: name,
    status: "failed",
    stage_detail: text,
    error,
    trainer_id: "trn_of_before",
    timeout_seconds: 600,
    deadline_at: ZERO,
    ended_at: ZERO,
  })}`;
  return ids;
}
