import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { trainerCommands, trainingJobs, trainingManifests } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { openFile } from "@/server/services/files";
import { type Agent, contextOfTrainer } from "@/server/services/trainers";

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
  const file = await openFile(contextOfTrainer(db, projectId), manifest.fileId);
  async function* content() {
    for (let at = 0; at < file.size; at += PART_BYTES) yield await file.read(at, Math.min(file.size, at + PART_BYTES));
  }
  return { bytes: file.size, content: content() };
}
