import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { trainers } from "@/db/schema";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { RUNNING_JOB_STATUSES } from "@/server/services/training/jobs/schemas";
import { readCapabilities } from "./capabilities";
import { clientOf } from "./open-trainer";
import { TrainerRefused, TrainerUnreachable } from "./trainer-client";
import { attachedTrainers, type TrainerRow } from "./trainer-rows";

/** Short, because a user may be waiting for the page. */
const TIMEOUT_MS = 5000;
/** Free memory and load change slowly; asking more often would tell nothing new. */
const FRESH_MS = 15_000;

/** Stores a trainer's description of itself. */
export async function storeCapabilities(db: Db, trainerId: string, given: unknown, jobsRunning?: number) {
  const { boot_id, trainer_version } = readCapabilities(given);
  const capabilities = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
  const capabilitiesHash = createHash("sha256").update(canonicalJson(capabilities)).digest("hex");
  await db
    .update(trainers)
    .set({
      capabilities,
      capabilitiesHash,
      bootId: boot_id ?? null,
      version: trainer_version ?? null,
      lastSeenAt: NOW,
      error: null,
      updatedAt: NOW,
      ...(jobsRunning === undefined ? {} : { jobsRunning }),
    })
    .where(eq(trainers.id, trainerId));
}

const countOf = (json: unknown): number => {
  const jobs = typeof json === "object" && json !== null ? (json as { jobs?: unknown }).jobs : json;
  return Array.isArray(jobs)
    ? jobs.filter((job) => RUNNING_JOB_STATUSES.some((status) => status === (job as { status?: unknown })?.status))
        .length
    : 0;
};

async function refresh(db: Db, row: TrainerRow, projectId: string): Promise<void> {
  const client = clientOf(db, row);
  try {
    const { json } = await client.request({ method: "GET", path: "/capabilities", timeoutMs: TIMEOUT_MS, projectId });
    const jobs = await client.request({ method: "GET", path: "/jobs", timeoutMs: TIMEOUT_MS, projectId });
    await storeCapabilities(db, row.id, json, countOf(jobs.json));
  } catch (error) {
    if (!(error instanceof TrainerUnreachable || error instanceof TrainerRefused)) throw error;
    await db
      .update(trainers)
      .set({ error: error.message.slice(0, 1000), updatedAt: NOW })
      .where(eq(trainers.id, row.id));
  }
}

let running: Promise<void> | undefined;

/** Asks the trainer that we call for its state, unless it was asked a moment ago. Agents report theirs themselves. */
export async function refreshTrainers({ db, projectId }: { db: Db; projectId: string }): Promise<void> {
  const row = (await attachedTrainers(db)).find(({ kind }) => kind === "url");
  if (!row || (row.updatedAt > row.readAt - FRESH_MS && (row.capabilities !== null || row.error !== null))) return;
  // Concurrent readers share one call.
  running ??= refresh(db, row, projectId).finally(() => {
    running = undefined;
  });
  await running;
}
