import { eq } from "drizzle-orm";
import { tablesWhere } from "@/db/deletion-registry";
import { projects } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound, unprocessable } from "@/server/platform/errors";
import { deletionRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { deleteOfProject } from "./delete-of-project";
import { addCounts, openReceipt, readReceipt } from "./deletion-receipt";
import { deletedReply, deleteProjectInput } from "./schemas";

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
    const receiptId = await openReceipt(ctx, { scope: "project" });
    auditNote(ctx, { target: { type: "project", id: project.id }, before: null, after: null, survivesProject: true });
    // Without members and keys the project is invisible to everybody from here on.
    await addCounts(ctx.db, receiptId, await deleteOfProject(ctx, COUNTED_ACCESS));
    await deleteOfProject(ctx, OTHER_ACCESS);
    await emit(ctx.db, deletionRequested.create({ deletionId: receiptId }));
    return { ok: true as const, deletion: (await readReceipt(ctx, receiptId))! };
  },
);
