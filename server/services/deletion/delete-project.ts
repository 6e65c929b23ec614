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
      "`name` is the project's name, typed once more (422 when it is another). Members and keys lose it at once, keys within 5 seconds; its data goes in the background. There is no way back. The answer is the receipt; it is not readable over this interface afterwards, because its project is gone.",
    effect: "write",
    capability: "project:admin",
    input: deleteProjectInput,
    reply: deletedReply,
  },
  async (ctx, { name }) => {
    const [project] = await ctx.db.select().from(projects).where(eq(projects.id, ctx.projectId)).for("update");
    if (!project) throw notFound("The project");
    if (project.name !== name.trim()) throw unprocessable("/name", "Type the project's name as it stands.");
    const receiptId = await openReceipt(ctx, { scope: "project" });
    auditNote(ctx, { target: { type: "project", id: project.id }, before: null, after: null, survivesProject: true });
    // Whoever is no member and holds no key finds no project: it is gone for everybody from here on.
    await addCounts(ctx.db, receiptId, await deleteOfProject(ctx, COUNTED_ACCESS));
    await deleteOfProject(ctx, OTHER_ACCESS);
    await emit(ctx.db, deletionRequested.create({ deletionId: receiptId }));
    return { ok: true as const, deletion: (await readReceipt(ctx, receiptId))! };
  },
);
