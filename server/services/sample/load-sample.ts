import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { memberships, projects, sampleProjects } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { AuditNote } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { sampleRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { installationVerb } from "@/server/platform/verb";
import { loadedSampleReply } from "./schemas";

const SAMPLE_NAME = "Sample shop";

export const loadSample = installationVerb(
  {
    name: "sample.load",
    summary:
      "Load the sample: a project with the conversations of a shop's support agent, and everything derived from them.",
    description:
      "Its conversations are sent and read in the background. A person has at most one sample: loading it again returns the same project and resumes a load that failed. The sample isn't counted in any totals, and is deleted like any project.",
    right: "projects:create",
    effect: "write",
    input: z.strictObject({}),
    reply: loadedSampleReply,
  },
  async (ctx) => {
    if ("operator" in ctx) throw new ServiceError("unprocessable", "A sample needs an owner.");
    const loaded = await loadSampleFor(ctx.db, ctx.userId);
    auditNote(ctx, loadedSampleNote(loaded));
    return loaded;
  },
);

/** Loads a person's sample in the caller's transaction, or finds the one already loaded. */
export async function loadSampleFor(tx: Db, userId: string): Promise<z.output<typeof loadedSampleReply>> {
  // Concurrent clicks create only one sample.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sample ${userId}`}, 0))`);
  const found = await findSample(tx, userId);
  const { id, name, createdAt, sample } = found ?? (await createSample(tx, userId));
  if (sample === "failed") {
    const again = { state: "loading", error: null, finishedAt: null } as const;
    await tx.update(sampleProjects).set(again).where(eq(sampleProjects.projectId, id));
  }
  if (sample !== "ready") await emit(tx, sampleRequested.create({ projectId: id }));
  const state = sample === "ready" ? "ready" : "loading";
  return { project: { id, name, createdAt, sample: state }, created: found === undefined };
}

/** Returns the entry of the sample's audit log. */
export const loadedSampleNote = ({
  project,
}: {
  project: { id: string; name: string };
}): AuditNote & { projectId: string } => ({
  projectId: project.id,
  target: { type: "project", id: project.id },
  after: { name: project.name, sample: true },
});

const columns = {
  id: projects.id,
  name: projects.name,
  createdAt: projects.createdAt,
  sample: sampleProjects.state,
};

/** Returns the sample that a person has loaded; `undefined` without one. */
export async function findSample(db: Db, userId: string) {
  const [found] = await db
    .select({ ...columns, role: memberships.role })
    .from(sampleProjects)
    .innerJoin(projects, eq(projects.id, sampleProjects.projectId))
    .leftJoin(memberships, and(eq(memberships.projectId, projects.id), eq(memberships.userId, userId)))
    .where(eq(sampleProjects.loadedBy, userId));
  if (found && found.role === null) {
    throw new ServiceError(
      "conflict",
      `You loaded the sample before and have left its project. To rejoin, ask an owner of “${found.name}” to invite you.`,
    );
  }
  return found;
}

/** Creates the sample's empty project. It has no key, so no other data can be sent to it. */
async function createSample(db: Db, userId: string) {
  const id = newId("prj");
  await db.insert(projects).values({ id, name: SAMPLE_NAME });
  await db.insert(memberships).values({ projectId: id, userId, role: "owner" });
  await db.insert(sampleProjects).values({ projectId: id, loadedBy: userId, state: "loading", createdAt: NOW });
  const created = await findSample(db, userId);
  if (!created) throw new Error("The insert of a sample returned no row.");
  return created;
}
