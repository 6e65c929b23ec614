import { eq, sql } from "drizzle-orm";
import { tablesWhere } from "@/db/deletion-registry";
import { projects } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import { deletionRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { deleteOfProject } from "./delete-of-project";
import { addCounts, openReceipt, readReceipt } from "./deletion-receipt";
import { deletedReply, deleteProjectInput } from "./schemas";

/** The subject of a sample's receipt: deleting a sample leaves no receipt either. */
export const SAMPLE = "sample";

const COUNTED_ACCESS = tablesWhere(({ project }) => project === "at once");
const OTHER_ACCESS = tablesWhere(({ project }) => project === "at once, uncounted");

export const deleteProject = verb(
  {
    name: "projects.delete",
    summary: "Delete the project and everything in it.",
    description:
      "`name` repeats the project's name as a confirmation (422 when it differs). Members lose access immediately, keys within 5 seconds; the data is deleted in the background. This can't be undone. Returns the receipt, which cannot be read over this API afterwards because its project no longer exists.",
    effect: "write",
    capability: "project:admin",
    input: deleteProjectInput,
    reply: deletedReply,
  },
  async (ctx, { name }) => {
    const [project] = await ctx.db.select().from(projects).where(eq(projects.id, ctx.projectId)).for("update");
    if (!project) throw notFound("The project");
    if (project.name !== name.trim()) throw unprocessable("/name", "Type the project's name exactly as it is.");
    const isSample = await isUntouchedSample(ctx);
    const receiptId = await openReceipt(ctx, { scope: "project", subject: isSample ? SAMPLE : null });
    const target = { type: "project", id: project.id };
    auditNote(ctx, { target, before: null, after: null, survivesProject: !isSample });
    // Without members and keys the project is invisible to everybody from here on.
    await addCounts(ctx.db, receiptId, await deleteOfProject(ctx, COUNTED_ACCESS));
    await deleteOfProject(ctx, OTHER_ACCESS);
    await emit(ctx.db, deletionRequested.create({ deletionId: receiptId }));
    return { ok: true as const, deletion: (await readReceipt(ctx, receiptId))! };
  },
);

/** Returns whether the project contains the sample, and never had a key with which other data could have been sent. */
async function isUntouchedSample(ctx: Ctx): Promise<boolean> {
  const [found] = await ctx.db.execute(sql`
    select 1 from sample_projects s where s.project_id = ${ctx.projectId}
      and not exists (select 1 from api_keys k where k.project_id = s.project_id)`);
  return found !== undefined;
}
