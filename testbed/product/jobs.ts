import type { Sql } from "postgres";

type Stored = {
  state: "queued" | "running" | "completed" | "failed" | "cancelled";
  functionId?: string;
  data?: object;
  /** Failed attempts since the last progress. */
  attempt?: number;
  retries?: number;
  error?: { name: string; message: string };
  createdAt?: number;
  /** When it resumes. By default in an hour, so that it does not start during a test. */
  dueAt?: number;
  steps?: { name: string; state: "completed" | "failed" | "retrying"; attempts?: number; error?: object }[];
};

/** Stores a background job as the engine would have left it; returns its id. */
export async function storeJob(sql: Sql, projectId: string, job: Stored): Promise<string> {
  const id = `jr_${crypto.randomUUID().replaceAll("-", "")}`;
  const { state, functionId = "whetstone-measure-storage", createdAt = Date.now(), steps = [] } = job;
  const ended = state === "completed" || state === "failed" || state === "cancelled";
  const begun = ended || state === "running" || (job.attempt ?? 0) > 0;
  const due = state === "queued" ? (job.dueAt ?? Date.now() + 3_600_000) : null;
  const event = {
    id: `evt_${id}`,
    name: "data/storage-measurement.requested",
    data: { projectId, ...job.data },
    ts: 0,
  };
  await sql`insert into job_runs ${sql({
    id,
    project_id: projectId,
    function_id: functionId,
    event_id: event.id,
    event: sql.json(event),
    state,
    attempt: job.attempt ?? 0,
    retries: job.retries ?? 0,
    max_attempts: 3,
    lane: `${projectId} ${functionId}`,
    call_at: due,
    due_at: due,
    queue_at: due,
    // Leased for the duration of the test.
    lease_token: state === "running" ? "a test's" : null,
    lease_until: state === "running" ? Date.now() + 3_600_000 : null,
    error: job.error ? sql.json(job.error) : null,
    created_at: createdAt,
    started_at: begun ? createdAt + 40 : null,
    finished_at: ended ? createdAt + 7_300 : null,
  })}`;
  for (const [index, step] of steps.entries()) {
    await sql`insert into job_steps ${sql({
      run_id: id,
      id: `${index}`,
      name: step.name,
      op: "StepRun",
      state: step.state,
      position: step.state === "retrying" ? null : index + 1,
      attempts: step.attempts ?? 1,
      error: step.error ? sql.json(step.error as never) : null,
      created_at: createdAt + 50 + index,
      finished_at: step.state === "retrying" ? null : createdAt + 2_000 + index,
    })}`;
  }
  return id;
}
