import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findingNotes } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { namedActors } from "@/server/services/members";
import { recordEvents } from "../finding-events";
import { mergedWith, requireFinding } from "../merged-with";
import { addNoteInput, deleteNoteInput, listNotesInput, noteReply, notesReply, updateNoteInput } from "../schemas";

type Row = typeof findingNotes.$inferSelect;
const isOwn = ({ actor }: Ctx, { authorKind, authorId }: Pick<Row, "authorKind" | "authorId">) =>
  authorKind === actor.kind && authorId === idOfActor(actor);

async function notesJson(ctx: Ctx, rows: readonly Row[]) {
  const authorOf = ({ authorKind, authorId }: Row) => ({ kind: authorKind, id: authorId });
  const named = await namedActors(ctx, rows.map(authorOf));
  return rows.map((row) => ({ ...row, author: named(authorOf(row)), own: isOwn(ctx, row) }));
}
const noteJson = async (ctx: Ctx, row: Row) => (await notesJson(ctx, [row]))[0]!;

export const listFindingNotes = verb(
  {
    name: "findingNotes.list",
    summary: "List the notes on a Finding, newest first.",
    description: "Includes the notes on Findings that were merged into it.",
    effect: "read",
    capability: "diagnostics:read",
    input: listNotesInput,
    reply: notesReply,
  },
  async (ctx, { findingId, limit, cursor }) => {
    await requireFinding(ctx, findingId);
    const { rows, nextCursor } = await listPage(
      { name: "findingNotes", table: findingNotes, filters: { project: ctx.projectId, findingId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(findingNotes)
          .where(
            and(
              eq(findingNotes.projectId, ctx.projectId),
              sql`${findingNotes.findingId} = any(${mergedWith(ctx, findingId)})`,
              after,
            ),
          ),
    );
    return { notes: await notesJson(ctx, rows), pagination: { limit, nextCursor } };
  },
);

export const addFindingNote = verb(
  {
    name: "findingNotes.add",
    summary: "Add a note to a Finding.",
    description:
      "The note is plain text under the name of the signed-in person or key, and part of the Finding's history. The audit log has its id, not its text.",
    effect: "write",
    capability: "diagnostics:write",
    input: addNoteInput,
    reply: noteReply,
  },
  async (ctx, { findingId, text }) => {
    await requireFinding(ctx, findingId);
    const id = newId("fno");
    const [row] = await ctx.db
      .insert(findingNotes)
      .values({
        projectId: ctx.projectId,
        id,
        findingId,
        authorKind: ctx.actor.kind,
        authorId: idOfActor(ctx.actor),
        text,
      })
      .returning();
    await recordEvents(ctx, [{ findingId, kind: "note", detail: { noteId: id } }]);
    // The text may quote a conversation, which the audit log must not.
    auditNote(ctx, { target: { type: "finding", id: findingId }, after: { noteId: id } });
    return { note: await noteJson(ctx, row!) };
  },
);

export const updateFindingNote = verb(
  {
    name: "findingNotes.update",
    summary: "Edit one of your own notes.",
    description: "Replaces the text and sets `editedAt`. 403 for the note of another person or key.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateNoteInput,
    reply: noteReply,
  },
  async (ctx, { findingId, noteId, text }) => {
    await requireOwn(ctx, findingId, noteId);
    auditNote(ctx, { target: { type: "finding", id: findingId }, after: { noteId } });
    const [row] = await ctx.db
      .update(findingNotes)
      .set({ text, editedAt: NOW })
      .where(and(eq(findingNotes.projectId, ctx.projectId), eq(findingNotes.id, noteId)))
      .returning();
    return { note: await noteJson(ctx, row!) };
  },
);

export const deleteFindingNote = verb(
  {
    name: "findingNotes.delete",
    summary: "Delete one of your own notes.",
    description: "It can't be restored. 403 for the note of another person or key.",
    effect: "write",
    capability: "diagnostics:write",
    input: deleteNoteInput,
    reply: okReply,
  },
  async (ctx, { findingId, noteId }) => {
    await requireOwn(ctx, findingId, noteId);
    auditNote(ctx, { target: { type: "finding", id: findingId }, after: { noteId } });
    await ctx.db
      .delete(findingNotes)
      .where(and(eq(findingNotes.projectId, ctx.projectId), eq(findingNotes.id, noteId)));
    return { ok: true as const };
  },
);

async function requireOwn(ctx: Ctx, findingId: string, noteId: string) {
  const [note] = await ctx.db
    .select()
    .from(findingNotes)
    .where(
      and(
        eq(findingNotes.projectId, ctx.projectId),
        eq(findingNotes.id, noteId),
        sql`${findingNotes.findingId} = any(${mergedWith(ctx, findingId)})`,
      ),
    );
  if (!note) throw notFound("Note");
  if (!isOwn(ctx, note)) {
    throw new ServiceError("forbidden", "Only its author can change a note.");
  }
}
