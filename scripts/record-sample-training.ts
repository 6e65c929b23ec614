/**
 * Records the training of the sample's model. `npm run sample:record -- --chats FILE` writes the chats for its base model, for
 * `scripts/sample-training/base_model.py`; without the option, it waits for the trainer whose command it prints, which carries
 * out the training that is recorded. A recording is never edited afterwards. `scripts/sample-training/README.md` has the commands.
 */
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { and, asc, eq } from "drizzle-orm";
import { db as pool } from "@/db/pool";
import { checkpoints, evaluationRows, sampleProjects, trainingJobs, trainingManifests, users } from "@/db/schema";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { serveTrainer } from "@/server/rest/trainer-endpoint";
import { listDatasets } from "@/server/services/datasets";
import { openFile } from "@/server/services/files";
import { createEvaluation, runEvaluation } from "@/server/services/proof";
import { loadSampleFor, runSampleLoad } from "@/server/services/sample";
import { findingOf, SAMPLE_DATASET } from "@/server/services/sample/make-examples";
import { stepsBeforeTraining } from "@/server/services/sample/run-load";
import { PLANTED } from "@/server/services/sample/story/plan";
import { addSampleBase, firstCheckpoint, SAMPLE_TRAINING } from "@/server/services/sample/training";
import { addTrainer, listTrainers, openTrainer } from "@/server/services/trainers";
import { promptHash, RECORDED_FILES, type Recording, rowHashes } from "@/server/services/trainers/recorded/recording";
import { createJob, runTrainingJob } from "@/server/services/training";
import { baseChats } from "./sample-training/chats";

const FILES = path.join(import.meta.dirname, "..", RECORDED_FILES);
const RECORDING = path.join(FILES, "../recording.generated.json");
/** Files to keep; the rest is needed only for a resume. */
const KEPT = /^model\//;
const LONGEST_MS = 20 * 60_000;

async function record() {
  const db = pool();
  const userId = newId("usr");
  await db.insert(users).values({ id: userId, email: "recorder@example.com", name: "Recorder" });
  const { project } = await loadSampleFor(db, userId);
  const ctx: Ctx = { db, projectId: project.id as ProjectId, actor: { kind: "operator" } };
  for (let done = 0; done < stepsBeforeTraining(); ) {
    await runSampleLoad(ctx, { forMs: 0 });
    const [sample] = await db.select().from(sampleProjects).where(eq(sampleProjects.projectId, ctx.projectId));
    done = sample?.stepsDone ?? 0;
  }
  const trainerVersion = await attachedTrainer(ctx);
  await addSampleBase(ctx);
  const { datasets } = await listDatasets(ctx, {});
  const { id: datasetId } = datasets.find(({ name }) => name === SAMPLE_DATASET)!;
  const { job } = await createJob(ctx, { ...SAMPLE_TRAINING, datasetId });
  await toItsEnd(() => runTrainingJob(ctx, job.id));
  const [row] = await db.select().from(trainingJobs).where(eq(trainingJobs.id, job.id));
  if (row?.status !== "succeeded") throw new Error(`The training ${row?.status}: ${JSON.stringify(row?.error)}`);

  const trainer = await openTrainer(db, row.trainerId ?? "");
  const call = { method: "GET" as const, projectId: ctx.projectId };
  const { json } = await trainer.request({ ...call, path: `/jobs/${job.id}/events`, query: { after: 0, limit: 1000 } });
  const events = (json as { events: SavedEvent[] }).events.map(withoutState);
  const saved = events.filter(({ type }) => type === "checkpoint.saved").map(({ data }) => data);
  const final = saved.findLast(({ is_final }) => is_final)!;
  const answers = await evaluate(ctx, final.checkpoint_id);

  rmSync(FILES, { recursive: true, force: true });
  for (const file of final.files) {
    const target = path.join(FILES, file.path);
    mkdirSync(path.dirname(target), { recursive: true });
    const { body } = await trainer.download({
      ...call,
      path: `/checkpoints/${final.checkpoint_id}/files/${file.path}`,
    });
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    writeFileSync(target, Buffer.concat(parts));
  }
  const recording: Recording = {
    trainerVersion,
    jobId: job.id,
    manifestSha256: row.manifestSha256,
    spec: row.spec,
    rows: rowHashes(await manifestOf(ctx, row.manifestSha256)),
    events,
    checkpoints: unique(saved).map((one) => ({
      id: one.checkpoint_id,
      step: one.step_number,
      contentSha256: one.content_sha256,
    })),
    kept: { id: final.checkpoint_id, files: final.files },
    answers,
  };
  writeFileSync(RECORDING, `${canonicalJson(recording)}\n`);
  console.log(`${events.length} events, ${Object.keys(answers).length} answered prompts, ${final.bytes} bytes`);
}

/** Serves a trainer, prints how to start it, and returns its version once it is online. */
async function attachedTrainer(ctx: Ctx): Promise<string | null> {
  const { key } = await addTrainer({ db: ctx.db, operator: true }, { name: "Recorder" });
  const server = createServer(async (request, response) => {
    const { method = "GET", headers, url } = request;
    const body = method === "GET" ? {} : { body: await buffer(request) };
    const reply = await serveTrainer(
      new Request(`http://127.0.0.1${url}`, { method, headers: headers as never, ...body }),
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(Buffer.from(await reply.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  server.unref();
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(
    `WHETSTONE_TRAINER_KEY=${key} npx whetstone trainer --without-compress --home /tmp/trainer --agent ${origin}`,
  );
  for (;;) {
    const [trainer] = (await listTrainers(ctx, {})).trainers;
    if (trainer?.online) return trainer.version;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

type Saved = {
  checkpoint_id: string;
  step_number: number;
  content_sha256: string;
  is_final: boolean;
  resumable: boolean;
  bytes: number;
  files: Recording["kept"]["files"];
};
type SavedEvent = { type: string; data: Saved } & Record<string, unknown>;

/** Removes from a saved checkpoint the files that only a resume needs, because they are not kept. */
function withoutState(event: SavedEvent): SavedEvent {
  if (event.type !== "checkpoint.saved") return event;
  const files = event.data.files.filter(({ path: name }) => KEPT.test(name));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { ...event, data: { ...event.data, files, bytes, resumable: false } };
}

const unique = (saved: readonly Saved[]) => [...new Map(saved.map((one) => [one.checkpoint_id, one])).values()];

async function manifestOf(ctx: Ctx, sha256: string) {
  const isIt = and(eq(trainingManifests.projectId, ctx.projectId), eq(trainingManifests.sha256, sha256));
  const [manifest] = await ctx.db.select().from(trainingManifests).where(isIt);
  const file = await openFile(ctx, manifest?.fileId ?? "");
  return Buffer.from(await file.read(0, file.size)).toString();
}

/** Has the base model, the first checkpoint and the final one answer, as the sample's load does. */
async function evaluate(ctx: Ctx, checkpointId: string): Promise<Recording["answers"]> {
  const finding = await findingOf(ctx, PLANTED.englishInstead);
  const early = await firstCheckpoint(ctx, checkpointId);
  const replayed = { kind: "finding" as const, findingId: finding!.id };
  const answers: Recording["answers"] = {};
  for (const choice of [
    ...(early === undefined ? [] : [{ checkpointId: early, ...replayed }]),
    { checkpointId, kind: "examples" as const },
    { checkpointId, ...replayed },
  ]) {
    const { evaluation } = await createEvaluation(ctx, choice);
    await toItsEnd(() => runEvaluation(ctx, evaluation.id));
    const rows = await ctx.db
      .select()
      .from(evaluationRows)
      .where(and(eq(evaluationRows.projectId, ctx.projectId), eq(evaluationRows.evaluationId, evaluation.id)))
      .orderBy(asc(evaluationRows.n));
    const [checkpoint] = await ctx.db
      .select({ step: checkpoints.stepNumber })
      .from(checkpoints)
      .where(and(eq(checkpoints.projectId, ctx.projectId), eq(checkpoints.id, choice.checkpointId)));
    for (const { prompt, before, after, reason } of rows) {
      console.log(choice.kind, checkpoint!.step, reason, "|", spoken(before).content, "|", spoken(after).content);
      const known = answers[promptHash(prompt)];
      answers[promptHash(prompt)] = { ...known, base: spoken(before), [checkpoint!.step]: spoken(after) };
    }
  }
  return answers;
}

function spoken(answer: unknown) {
  const { content, finishReason } = answer as { content: string; finishReason: "stop" | "length" };
  return { content, finish_reason: finishReason };
}

async function toItsEnd(turn: () => Promise<{ done: boolean }>) {
  const until = performance.now() + LONGEST_MS;
  while (!(await turn()).done) {
    if (performance.now() > until) throw new Error("The trainer takes too long.");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const at = process.argv.indexOf("--chats");
if (at >= 0) {
  const lines = baseChats().map((messages) => `${JSON.stringify({ messages })}\n`);
  writeFileSync(process.argv[at + 1]!, lines.join(""));
  console.log(`${lines.length} chats`);
} else {
  await record();
}
process.exit();
