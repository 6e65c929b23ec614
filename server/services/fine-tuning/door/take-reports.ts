import { and, eq, ne, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainerCommands, trainers, trainingJobs, trainingManifests } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { openFile } from "@/server/services/files";
import { storeEvents } from "../events";
import { storableValue } from "../events/wire-event";
import { commandResult } from "../trainers/agent-trainer";
import type { Agent } from "./authenticate-agent";

/** Jobs are read by id alone: a trainer belongs to the installation, and the job says which project it belongs to. */
const contextOf = (db: Db, projectId: string): Ctx => ({
  db,
  projectId: projectId as ProjectId,
  actor: { kind: "job", name: "trainer" },
});

/** Stores a command's result once. A repeated result, or one of a forgotten command, changes nothing. */
export async function takeResult(db: Db, agent: Agent, commandId: string, body: unknown) {
  const result = storableValue(commandResult.parse(body)) as Record<string, unknown>;
  const taken = await db
    .update(trainerCommands)
    .set({ state: "done", result, doneAt: NOW, payload: sql`${trainerCommands.payload} - 'sealedSecret'` })
    .where(
      and(
        eq(trainerCommands.id, commandId),
        eq(trainerCommands.trainerId, agent.id),
        ne(trainerCommands.state, "done"),
      ),
    )
    .returning({ id: trainerCommands.id });
  return { accepted: taken.length > 0 };
}

export const EVENTS_PER_CALL = 2000;
const eventsBody = z.object({ job_id: z.string(), events: z.array(z.unknown()).max(EVENTS_PER_CALL) });

async function takeEvents(db: Db, job: { id: string; projectId: string } | undefined, body: unknown) {
  const { events, job_id } = eventsBody.parse(body);
  // The signature covers only the body, not the address, so the body must name the same job.
  if (job_id !== job?.id) throw notFound("The training job");
  const { lastSeq } = await inTransaction(contextOf(db, job.projectId), (tx) => storeEvents(tx, job, events));
  return { last_seq: lastSeq, acknowledged_seq: lastSeq };
}

const jobColumns = { id: trainingJobs.id, projectId: trainingJobs.projectId };

/** Stores events of one of the agent's jobs. */
export async function takeAgentEvents(db: Db, agent: Agent, jobId: string, body: unknown) {
  const isOwn = and(eq(trainingJobs.id, jobId), eq(trainingJobs.trainerId, agent.id));
  const [job] = await db.select(jobColumns).from(trainingJobs).where(isOwn);
  return takeEvents(db, job, body);
}

/** Stores events of a job of the trainer that we call. The caller must have checked the signature. */
export async function takeWebhookEvents(db: Db, jobId: string, body: unknown) {
  const [job] = await db
    .select(jobColumns)
    .from(trainingJobs)
    .innerJoin(trainers, eq(trainers.id, trainingJobs.trainerId))
    .where(and(eq(trainingJobs.id, jobId), eq(trainers.kind, "url")));
  return takeEvents(db, job, body);
}

/** Returns the project that gave a manifest to this agent, through a job or a call that is still unanswered. */
async function projectGiving(db: Db, agent: Agent, sha256: string): Promise<string | undefined> {
  const [found] = await db.execute<{ projectId: string }>(sql`
    select ${trainingJobs.projectId} as "projectId" from ${trainingJobs}
    where ${trainingJobs.trainerId} = ${agent.id}
      and ${sha256} in (${trainingJobs.manifestSha256}, ${trainingJobs.validationManifestSha256})
    union all
    select ${trainerCommands.payload} ->> 'projectId' from ${trainerCommands}
    where ${trainerCommands.trainerId} = ${agent.id} and ${trainerCommands.state} <> 'done'
      and position(${sha256} in ${trainerCommands.payload}::text) > 0
    limit 1`);
  return found?.projectId;
}

const PART_BYTES = 1024 * 1024;

/** Opens a frozen manifest for an agent that received it through a job or a call. */
export async function openManifest(db: Db, agent: Agent, sha256: string) {
  const projectId = /^[0-9a-f]{64}$/.test(sha256) ? await projectGiving(db, agent, sha256) : undefined;
  const isIt = and(eq(trainingManifests.projectId, projectId ?? ""), eq(trainingManifests.sha256, sha256));
  const [manifest] = await db.select({ fileId: trainingManifests.fileId }).from(trainingManifests).where(isIt);
  if (!projectId || !manifest?.fileId) throw notFound("The manifest");
  const file = await openFile(contextOf(db, projectId), manifest.fileId);
  async function* content() {
    for (let at = 0; at < file.size; at += PART_BYTES) yield await file.read(at, Math.min(file.size, at + PART_BYTES));
  }
  return { bytes: file.size, content: content() };
}
