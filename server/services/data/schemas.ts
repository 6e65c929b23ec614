import { z } from "zod";
import { idInput, pageInput, pagination, queryInteger } from "@/server/platform/schemas";

/** A conversation's activity of today must never be what a typing error deletes. */
export const RETENTION_FLOOR_DAYS = 1;
export const RETENTION_CEILING_DAYS = 36_500;

/** The id that a client gave its own user. */
const endUserId = z.string().min(1).max(1000);

/** What was deleted and how much of it; never what was in it. `counts` has rows by table. Times are Unix ms. */
export const deletion = z.object({
  id: z.string(),
  scope: z.enum(["conversation", "user", "project", "retention"]),
  status: z.enum(["queued", "running", "completed"]),
  counts: z.record(z.string(), z.int()),
  /** Of a user's data: how many conversations there were when it was asked for. */
  expected: z.int().nullable(),
  /**
   * What a look after the deletion still found of it: rows by table, each that was looked through, 0 where nothing is
   * left. `null` until then, and of scopes that are not looked after.
   */
  remaining: z.record(z.string(), z.int()).nullable(),
  actorKind: z.enum(["user", "apiKey", "job", "operator"]),
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
const touched = {
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
    scope: z.enum(["conversation", "user", "project"]),
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

/** Conversations are kept for so many days after their last activity; `null` keeps them for ever. */
export const retention = z.object({
  days: z.int().nullable(),
  updatedAt: z.number().nullable(),
  /** When what is older is deleted the next time (Unix ms). */
  nextRunAt: z.number(),
});
export const retentionReply = z.object({ retention });
export const updateRetentionInput = z.strictObject({
  days: z.int().min(RETENTION_FLOOR_DAYS).max(RETENTION_CEILING_DAYS).nullable(),
});
export const previewRetentionInput = z.strictObject({
  days: queryInteger(RETENTION_FLOOR_DAYS, RETENTION_CEILING_DAYS),
});
export const previewRetentionReply = z.object({
  preview: z.object({
    days: z.int(),
    /** What was active before this time (Unix ms) would go. */
    before: z.number(),
    conversations: z.int(),
    /** Whether these are all; otherwise there are more. */
    complete: z.boolean(),
    oldestActivityAt: z.number().nullable(),
    /** What goes with them; `null` where they are too many to be counted. */
    impact: z
      .object({ messages: z.int(), spans: z.int(), logRecords: z.int(), occurrences: z.int(), ...touched })
      .nullable(),
  }),
});

export const storageReply = z.object({
  storage: z.object({
    /** Unix ms; `null` before the first measurement. */
    measuredAt: z.number().nullable(),
    /** Whether a measurement that was asked for is under way, as far as the embedded job runner knows. */
    measuring: z.boolean(),
    rows: z.int(),
    /** Estimated from a sample of rows, with indexes in proportion. */
    bytes: z.int(),
    tables: z.array(z.object({ name: z.string(), rows: z.int(), bytes: z.int() })),
  }),
});
/** Of the whole installation. `restore`: this installation came out of that backup. Times are Unix ms. */
const backup = z.object({
  id: z.string(),
  kind: z.enum(["backup", "restore"]),
  /** The moment that it shows. */
  takenAt: z.number(),
  bytes: z.int(),
  rows: z.int(),
  /** SHA-256 of its manifest, which has that of each file. */
  checksum: z.string(),
  /** When all of it was read again and found whole; `null`: never. */
  verifiedAt: z.number().nullable(),
  /** Whether WHETSTONE_SECRET is in it, sealed. */
  withSecret: z.boolean(),
  createdAt: z.number(),
});
export type Backup = z.infer<typeof backup>;
export const listBackupsInput = z.strictObject(pageInput);
export const backupsReply = z.object({ backups: z.array(backup), pagination });

export const queuedReply = z.object({ queued: z.literal(true) });
