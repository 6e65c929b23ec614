import { and, asc, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainerCommands, trainers, trainingJobs } from "@/db/schema";
import { throttle } from "@/server/platform/throttle";
import { RUNNING_JOB_STATUSES } from "@/server/services/training/jobs/schemas";
import { readCapabilities } from "../capabilities";
import { type Agent, refused } from "./authenticate-agent";
import { forgetOldCommands, sentPayload } from "./commands";
import { followNews } from "./news";

export const LEASE_SECONDS_MAX = 50;
const COMMANDS_MAX = 20;
/** Polling interval for commands from other processes. */
const LOOK_MS = 300;
/** A command without a result after this long was lost in transit, or with the agent. Repeating it is harmless. */
const REPEAT_MS = 60_000;
const CLEAN_MS = 600_000;
const BUSY: ReadonlySet<string> = new Set(RUNNING_JOB_STATUSES);
const CAPABILITIES_CHARACTERS_MAX = 200_000;

export const leaseInput = z.object({
  trainer_id: z.string().max(200).optional(),
  capabilities_hash: z.string().max(200).optional(),
  capabilities: z
    .record(z.string(), z.unknown())
    .refine((given) => JSON.stringify(given).length <= CAPABILITIES_CHARACTERS_MAX, "Is too long.")
    .nullish(),
  /** Its unfinished jobs, and those with events that are still to be stored. */
  jobs: z
    .array(z.object({ job_id: z.string().max(200), status: z.string().max(100).optional(), last_seq: z.int().min(0) }))
    .max(1000)
    .default([]),
  wait_seconds: z.number().min(0).max(LEASE_SECONDS_MAX).default(LEASE_SECONDS_MAX),
});
type Lease = z.output<typeof leaseInput>;

const mayClean = throttle(CLEAN_MS);

/** Records that the agent called, and what it reported about itself. */
async function heard(db: Db, agent: Agent, { capabilities, capabilities_hash, jobs }: Lease): Promise<void> {
  const said = capabilities ? readCapabilities(capabilities) : null;
  await db
    .update(trainers)
    .set({
      lastSeenAt: NOW,
      updatedAt: NOW,
      error: null,
      jobsRunning: jobs.filter(({ status }) => BUSY.has(status ?? "running")).length,
      ...(said && capabilities
        ? {
            capabilities,
            capabilitiesHash: capabilities_hash ?? null,
            bootId: said.boot_id ?? null,
            version: said.trainer_version ?? null,
          }
        : {}),
    })
    .where(eq(trainers.id, agent.id));
}

const isAttached = ({ id }: Agent) => and(eq(trainers.id, id), isNull(trainers.disabledAt));

/** Throws once the agent was removed: a lease may be open at that moment. */
async function requireAttached(db: Db, agent: Agent): Promise<void> {
  if ((await db.$count(trainers, isAttached(agent))) === 0) throw refused();
}

/** Takes pending commands, and sent ones that were lost; none if the agent was removed, which may happen at any moment. */
async function takeCommands(db: Db, agent: Agent) {
  const attached = db.select({ id: trainers.id }).from(trainers).where(isAttached(agent));
  const isLost = and(eq(trainerCommands.state, "sent"), lt(trainerCommands.sentAt, sql`${NOW} - ${REPEAT_MS}::bigint`));
  const pending = db
    .select({ id: trainerCommands.id })
    .from(trainerCommands)
    .where(and(inArray(trainerCommands.trainerId, attached), or(eq(trainerCommands.state, "queued"), isLost)))
    .orderBy(asc(trainerCommands.createdAt))
    .limit(COMMANDS_MAX)
    .for("update", { skipLocked: true });
  const taken = await db
    .update(trainerCommands)
    .set({ state: "sent", sentAt: NOW })
    .where(inArray(trainerCommands.id, pending))
    .returning({ id: trainerCommands.id, payload: trainerCommands.payload, createdAt: trainerCommands.createdAt });
  const inOrder = taken.sort((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  const sent = await Promise.all(
    inOrder.map(async ({ id, payload }) => ({
      command_id: id,
      kind: "request",
      payload: await sentPayload(db, id, payload),
    })),
  );
  return sent.filter(({ payload }) => payload !== null);
}

/** Returns the number of the last stored event of each reported job of this agent. */
async function storedEvents(db: Db, agent: Agent, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .select({ job_id: trainingJobs.id, last_seq: trainingJobs.lastSeq })
    .from(trainingJobs)
    .where(and(eq(trainingJobs.trainerId, agent.id), inArray(trainingJobs.id, [...ids])));
}

/** Waits for commands for an agent. Also reports which events are stored, and whether its capabilities are needed. */
export async function leaseCommands(db: Db, agent: Agent, lease: Lease, signal: AbortSignal) {
  await heard(db, agent, lease);
  if (mayClean()) await forgetOldCommands(db);
  const ids = lease.jobs.map(({ job_id }) => job_id);
  const isKnown = lease.capabilities != null || lease.capabilities_hash === agent.capabilitiesHash;
  const deadline = performance.now() + lease.wait_seconds * 1000;
  const news = followNews(agent.id, LOOK_MS);
  try {
    for (;;) {
      const commands = await takeCommands(db, agent);
      if (commands.length === 0) await requireAttached(db, agent);
      const left = deadline - performance.now();
      if (commands.length > 0 || !isKnown || left <= 0 || signal.aborted) {
        return { commands, jobs: await storedEvents(db, agent, ids), send_capabilities: !isKnown };
      }
      await news.next(left);
    }
  } finally {
    news.stop();
  }
}
