import { and, eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { trainingJobs } from "@/db/schema";
import { inTransaction } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { type Agent, contextOfTrainer } from "@/server/services/trainers";
import { storeEvents } from "./store-events";

const EVENTS_PER_CALL = 2000;
const eventsBody = z.object({ job_id: z.string(), events: z.array(z.unknown()).max(EVENTS_PER_CALL) });

async function takeEvents(db: Db, job: { id: string; projectId: string } | undefined, body: unknown) {
  const { events, job_id } = eventsBody.parse(body);
  if (job_id !== job?.id) throw notFound("The training job");
  const { lastSeq } = await inTransaction(contextOfTrainer(db, job.projectId), (tx) => storeEvents(tx, job, events));
  return { last_seq: lastSeq, acknowledged_seq: lastSeq };
}

const jobColumns = { id: trainingJobs.id, projectId: trainingJobs.projectId };

/** Stores events of one of the agent's jobs. */
export async function takeAgentEvents(db: Db, agent: Agent, jobId: string, body: unknown) {
  const isOwn = and(eq(trainingJobs.id, jobId), eq(trainingJobs.trainerId, agent.id));
  const [job] = await db.select(jobColumns).from(trainingJobs).where(isOwn);
  return takeEvents(db, job, body);
}
