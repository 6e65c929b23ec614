import { z } from "zod";
import { ACTOR_KINDS, DELETION_SCOPES, DELETION_STATUSES } from "@/db/schema/enumerations";
import { idInput, pageInput, pagination } from "@/server/platform/schemas";

/** The id that the client gives its own user. */
const endUserId = z.string().min(1).max(1000);

/** What was deleted and how much of it, never its content. `counts`: deleted rows by table. Times are Unix ms. */
export const deletion = z.object({
  id: z.string(),
  scope: z.enum(DELETION_SCOPES),
  status: z.enum(DELETION_STATUSES),
  counts: z.record(z.string(), z.int()),
  /** For a user's data: the number of conversations when the deletion was requested. */
  expected: z.int().nullable(),
  /**
   * Rows that a check after the deletion still found, by table, including tables with 0. `null` before the check, and for
   * scopes that are not checked.
   */
  remaining: z.record(z.string(), z.int()).nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  /** The person's e-mail address or the key's name, while it exists. */
  actorName: z.string().nullable(),
  /** The failed background job that stalls the deletion; replay it to continue. */
  failedJobId: z.string().nullable(),
  createdAt: z.number(),
  completedAt: z.number().nullable(),
});
export type Deletion = z.infer<typeof deletion>;
export const deletionReply = z.object({ deletion });
/** The reply of a delete operation, with its receipt. */
export const deletedReply = z.object({ ok: z.literal(true), deletion });

export const deleteConversationInput = z.strictObject({ conversationId: z.string().min(1).max(1000) });
export const deleteUserDataInput = z.strictObject({ userId: endUserId });
/** `name` repeats the project's name, so that nothing is deleted by mistake. */
export const deleteProjectInput = z.strictObject({ name: z.string().min(1).max(200) });

/** The effect of a deletion on Findings. */
export const touched = {
  /** Number of Findings without Occurrences elsewhere: they are deleted. */
  findings: z.int(),
  /** Number of Findings with Occurrences in other conversations: they stay and are recounted. */
  recountedFindings: z.int(),
  /** Up to ten of these Findings, deleted ones first. */
  touchedFindings: z.array(z.object({ id: z.string(), title: z.string(), goes: z.boolean() })),
};

export const previewDeletionInput = z.strictObject({ userId: endUserId.optional() });
export const previewDeletionReply = z.object({
  preview: z.object({
    scope: z.enum(DELETION_SCOPES).exclude(["retention"]),
    conversations: z.int(),
    traces: z.int(),
    spans: z.int(),
    messages: z.int(),
    modelCalls: z.int(),
    toolCalls: z.int(),
    logRecords: z.int(),
    occurrences: z.int(),
    /** Examples made from these conversations, or of this user, in any version of a Dataset. */
    examples: z.int(),
    /** Stored files of imports that contain Examples of them; for a project, all its files. */
    files: z.int(),
    ...touched,
    /** The earliest last activity of these conversations (Unix ms); `null` when there are none or it was not computed. */
    oldestActivityAt: z.number().nullable(),
    /** Whether the figures are complete; otherwise they are lower bounds. */
    complete: z.boolean(),
    /** When the figures were measured (Unix ms); `null` when counted for this request. */
    measuredAt: z.number().nullable(),
  }),
});
export type DeletionPreview = z.infer<typeof previewDeletionReply>["preview"];

export const getDeletionInput = z.strictObject({ deletionId: idInput });
export const listDeletionsInput = z.strictObject(pageInput);
export const deletionsReply = z.object({ deletions: z.array(deletion), pagination });
