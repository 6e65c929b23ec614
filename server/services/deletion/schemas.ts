import { z } from "zod";
import { ACTOR_KINDS, DELETION_SCOPES, DELETION_STATUSES } from "@/db/schema/enumerations";
import { idInput, pageInput, pagination } from "@/server/platform/schemas";

/** The id that a client gave its own user. */
const endUserId = z.string().min(1).max(1000);

/** What was deleted and how much of it; never what was in it. `counts` has rows by table. Times are Unix ms. */
export const deletion = z.object({
  id: z.string(),
  scope: z.enum(DELETION_SCOPES),
  status: z.enum(DELETION_STATUSES),
  counts: z.record(z.string(), z.int()),
  /** Of a user's data: how many conversations there were when it was asked for. */
  expected: z.int().nullable(),
  /**
   * What a look after the deletion still found of it: rows by table, each that was looked through, 0 where nothing is
   * left. `null` until then, and of scopes that are not looked after.
   */
  remaining: z.record(z.string(), z.int()).nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  /** The person's address or the key's name, while there is one. */
  actorName: z.string().nullable(),
  /** The failed background job because of which it stands still; replay that. */
  failedJobId: z.string().nullable(),
  createdAt: z.number(),
  completedAt: z.number().nullable(),
});
export type Deletion = z.infer<typeof deletion>;
export const deletionReply = z.object({ deletion });
/** What a delete answers, with its receipt. */
export const deletedReply = z.object({ ok: z.literal(true), deletion });

export const deleteConversationInput = z.strictObject({ conversationId: z.string().min(1).max(1000) });
export const deleteUserDataInput = z.strictObject({ userId: endUserId });
/** `name` is the project's, typed once more: nothing is deleted by a slip. */
export const deleteProjectInput = z.strictObject({ name: z.string().min(1).max(200) });

/** What a deletion does to Findings. */
export const touched = {
  /** Findings that nothing else shows: they go. */
  findings: z.int(),
  /** Findings that other conversations show too: they stay and are recounted. */
  recountedFindings: z.int(),
  /** Up to ten of them, those that go first. */
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
    ...touched,
    /** The earliest last activity among them (Unix ms); `null` where there is none or that was not counted. */
    oldestActivityAt: z.number().nullable(),
    /** Whether this is all of it; otherwise it is what was counted of more. */
    complete: z.boolean(),
    /** When it was counted (Unix ms), where that was before; `null`: now. */
    measuredAt: z.number().nullable(),
  }),
});
export type DeletionPreview = z.infer<typeof previewDeletionReply>["preview"];

export const getDeletionInput = z.strictObject({ deletionId: idInput });
export const listDeletionsInput = z.strictObject(pageInput);
export const deletionsReply = z.object({ deletions: z.array(deletion), pagination });
