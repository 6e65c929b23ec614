import { open } from "node:fs/promises";
import path from "node:path";
import { and, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { trainingJobs } from "@/db/schema";
import { parseRange } from "@/server/services/files";
import { type TrainerCall, type TrainerClient, TrainerRefused, type TrainerReply } from "../trainer-client";
import { problemOf } from "../trainer-problem";
import {
  checkpointId,
  comparableSpec,
  eventsFor,
  promptHash,
  RECORDED_FILES,
  RECORDING,
  type Recording,
  rowHashes,
} from "./recording";

/** The trainer of the sample's job: it replays what a real one did with the same Examples, and can do nothing else. */
export const RECORDED_TRAINER = "trn_recorded";

export const ONLY_RECORDED =
  "This model belongs to the sample. Its training was recorded, and no attached trainer has it: it can be viewed and downloaded, but not trained further, deployed or exported.";

const NOT_THERE = 404;
const UNPROCESSABLE = 422;

const refusal = (status: number, code: string, message: string, hint: string | null = null) =>
  new TrainerRefused(status, problemOf(code, message, hint));
const notThere = (what: string) => refusal(NOT_THERE, "not_found", `${what} is not in the recording.`);

const ok = (json: unknown): TrainerReply => ({ status: 200, headers: {}, json });

/**
 * A trainer resolves the settings while a job runs, so the first snapshot shows the job at that point, and the next one at its
 * end.
 */
function snapshotOf({ lastSeq }: { lastSeq: number }, events: readonly Record<string, unknown>[]) {
  const resolved = events.findIndex(({ type }) => type === "dataset.report");
  const { resolved_spec } = (events[resolved]?.data ?? {}) as { resolved_spec?: unknown };
  return { last_seq: lastSeq <= resolved ? resolved + 1 : events.length, resolved_spec };
}

type Target = { base: object } | { checkpoint_id: string };
type Prompts = { prompts: { messages: unknown }[]; targets: Target[] };

/** Answers recorded prompts; any others would need the model itself. */
function samples({ prompts, targets }: Prompts, jobIds: readonly string[]): TrainerReply {
  const nameOf = (target: Target) => {
    if ("base" in target) return "base";
    const isIt = (one: Recording["checkpoints"][number]) =>
      jobIds.some((id) => checkpointId(id, one) === target.checkpoint_id);
    return String(RECORDING.checkpoints.find(isIt)?.step);
  };
  const answers = targets.map((target) => {
    const name = nameOf(target);
    return {
      target,
      answers: prompts.flatMap(({ messages }) => RECORDING.answers[promptHash(messages)]?.[name] ?? []),
    };
  });
  if (answers.some((one) => one.answers.length < prompts.length)) {
    throw refusal(
      UNPROCESSABLE,
      "capability_missing",
      "Answers to these prompts were not recorded, and no trainer has the sample's model.",
      "Attach a trainer and train a model of your own.",
    );
  }
  return ok({ answers, error: null });
}

/**
 * Returns the client of the recording. Like a real trainer's, each of its calls can be repeated; unlike one, it needs no
 * machine.
 */
export function recordedTrainer(db: Db): TrainerClient {
  async function jobOf(projectId: string, id: string) {
    const isIt = and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, id));
    const [job] = await db.select().from(trainingJobs).where(isIt);
    if (!job || job.trainerId !== RECORDED_TRAINER) throw notThere("The job");
    return { job, events: eventsFor(id, job.manifestSha256, job.createdAt) };
  }

  async function jobsOf(projectId: string): Promise<string[]> {
    const jobs = await db
      .select({ id: trainingJobs.id })
      .from(trainingJobs)
      .where(and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.trainerId, RECORDED_TRAINER)));
    return jobs.map(({ id }) => id);
  }

  async function request({ method, path: address, query, json, projectId }: TrainerCall): Promise<TrainerReply> {
    const [, kind, id = "", action = ""] = address.split("/");
    if (kind === "samples" && method === "POST") return samples(json as Prompts, await jobsOf(projectId));
    if (kind !== "jobs") throw refusal(UNPROCESSABLE, "capability_missing", ONLY_RECORDED);
    const { job, events } = await jobOf(projectId, id);
    if (method === "PUT" && comparableSpec(json as Record<string, unknown>) !== comparableSpec(RECORDING.spec)) {
      throw refusal(UNPROCESSABLE, "invalid_spec", "No training with these settings was recorded.");
    }
    if (action !== "events") return ok({ job: { job_id: job.id, ...snapshotOf(job, events) } });
    const after = Number(query?.after ?? 0);
    const { last_seq } = snapshotOf({ lastSeq: after }, events);
    const until = Math.min(last_seq, after + Number(query?.limit ?? events.length));
    return ok({ events: events.slice(after, until), last_seq });
  }

  async function download({ path: address, headers, projectId }: TrainerCall) {
    const [, id = "", encoded = ""] = /^\/checkpoints\/([^/]+)\/files\/(.+)$/.exec(address) ?? [];
    const name = encoded.split("/").map(decodeURIComponent).join("/");
    const file = RECORDING.kept.files.find((one) => one.path === name);
    const kept = RECORDING.checkpoints.find((one) => one.id === RECORDING.kept.id);
    const jobIds = await jobsOf(projectId);
    if (!file || !kept || !jobIds.some((jobId) => checkpointId(jobId, kept) === id)) throw notThere("The file");
    const range = parseRange(headers?.range, file.size);
    return { status: range ? 206 : 200, headers: {}, body: bytesOf(name, range) };
  }

  return {
    trainerId: RECORDED_TRAINER,
    request,
    download,
    async stream() {
      throw refusal(UNPROCESSABLE, "capability_missing", ONLY_RECORDED);
    },
    async sendManifest({ content }) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content()) chunks.push(chunk);
      const rows = rowHashes(Buffer.concat(chunks).toString());
      if (rows.join() === RECORDING.rows.join()) return;
      throw refusal(UNPROCESSABLE, "manifest_hash_mismatch", "No training on these Examples was recorded.");
    },
  };
}

async function* bytesOf(name: string, range: { start: number; end: number } | undefined) {
  const file = await open(path.join(/* turbopackIgnore: true */ process.cwd(), RECORDED_FILES, name));
  try {
    yield* file.createReadStream({ autoClose: false, ...range }) as AsyncIterable<Uint8Array>;
  } finally {
    await file.close();
  }
}
