import { z } from "zod";
import { AUDIT_ACTOR_KINDS } from "@/db/schema/enumerations";
import { pageInput, pagination, queryUnixMs, sortOrder } from "@/server/platform/schemas";

const filter = z.string().min(1).max(200).optional();

/** Filters of the log. */
export const auditFilters = {
  /** The id of a person or a key, or the name of a job. */
  actorId: filter,
  /** The name of an operation, such as `apiKeys.create`, or of its subject, such as `apiKeys`. */
  action: filter,
  targetId: filter,
  /** Unix ms, inclusive. */
  createdAfter: queryUnixMs.optional(),
  /** Unix ms, exclusive. */
  createdBefore: queryUnixMs.optional(),
};
export const listAuditInput = z.strictObject({
  ...auditFilters,
  /** By time. */
  order: sortOrder.default("desc"),
  ...pageInput,
});
export const downloadAuditInput = z.strictObject(auditFilters);

/** One change: who, through which interface, what, before and after, without secrets. Times are Unix ms. */
export const auditEntry = z.object({
  id: z.string(),
  action: z.string(),
  actor: z.object({
    kind: z.enum(AUDIT_ACTOR_KINDS),
    id: z.string().nullable(),
    /** A person's current e-mail address, or a key's name. */
    name: z.string().nullable(),
    sessionId: z.string().nullable(),
  }),
  target: z
    .object({
      type: z.string(),
      id: z.string(),
      /** As for the actor; the current title or name of other things that have one. `null` once they are deleted. */
      name: z.string().nullable(),
    })
    .nullable(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  door: z.string().nullable(),
  requestId: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.number(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
export const auditReply = z.object({ entries: z.array(auditEntry), pagination });
export const listMyActivityInput = z.strictObject(pageInput);
