import { z } from "zod";
import { ACTOR_KINDS } from "@/db/schema/enumerations";
import { ROLES } from "@/server/platform/capabilities";
import { DAY_MS } from "@/server/platform/durations";
import { idInput, pageInput, pagination, queryBoolean } from "@/server/platform/schemas";
import { email, password, personName } from "@/server/services/identity/schemas";

const role = z.enum(ROLES);
export const INVITATION_DAYS = 7;
export const INVITATION_DAYS_MAX = 30;

/** A person in the project. Times are Unix ms. */
export const member = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  role,
  /** When a browser of theirs was last active, accurate to five minutes; `null` when they have no session. */
  lastSeenAt: z.number().nullable(),
  /** Number of active API keys that they created in the project. */
  activeKeyCount: z.int(),
  createdAt: z.number(),
});
export type Member = z.infer<typeof member>;
export const memberReply = z.object({ member });
export const listMembersInput = z.strictObject(pageInput);
export const membersReply = z.object({ members: z.array(member), pagination });

/** The person or key that did something. `name` is set for a member; `null` for others and for people who have left. */
export const namedActor = z.object({
  kind: z.enum(ACTOR_KINDS),
  id: z.string().nullable(),
  name: z.string().nullable(),
});
export type NamedActor = z.infer<typeof namedActor>;

export const changeRoleInput = z.strictObject({ userId: idInput, role });
/** `revokeKeys`: also revoke the keys that they created, whose secrets they may know. */
export const removeMemberInput = z.strictObject({ userId: idInput, revokeKeys: queryBoolean().default(false) });
/** How many of the keys that they created were revoked, and how many are still active. */
export const removedReply = z.object({ ok: z.literal(true), keysRevoked: z.int(), keysLeft: z.int() });
/** `fromUserId`: the owner who gives up the role. Defaults to a signed-in owner; required for a key. */
export const transferOwnershipInput = z.strictObject({ userId: idInput, fromUserId: idInput.optional() });

export const invitation = z.object({
  id: z.string(),
  role,
  /** The address that it is for; `null`: anybody with the link. */
  email: z.string().nullable(),
  status: z.enum(["pending", "accepted", "revoked", "expired"]),
  createdBy: z.string().nullable(),
  createdAt: z.number(),
  expiresAt: z.number(),
  acceptedAt: z.number().nullable(),
  acceptedBy: z.string().nullable(),
  revokedAt: z.number().nullable(),
});
export type Invitation = z.infer<typeof invitation>;
export const inviteInput = z.strictObject({
  role: role.default("viewer"),
  /** The address it is for. Without it, anybody with the link can use it, once. */
  email: email.nullish(),
  /** How many days the link works. */
  days: z.int().min(1).max(INVITATION_DAYS_MAX).default(INVITATION_DAYS),
});
/** `token` and `link` are returned only once, here. `mailedTo`: the address that the link is mailed to, if any. */
export const invitedReply = z.object({
  invitation,
  token: z.string(),
  link: z.string(),
  mailedTo: z.string().nullable(),
});
export const listInvitationsInput = z.strictObject({
  ...pageInput,
  /** Only those that can still be used. */
  pending: queryBoolean().optional(),
});
export const invitationsReply = z.object({ invitations: z.array(invitation), pagination });
export const invitationInput = z.strictObject({ invitationId: idInput });

const token = z.string().min(1).max(200);
export const tokenInput = z.strictObject({ token });
export const acceptedReply = z.object({ project: z.object({ id: z.string(), name: z.string() }), role });
/** Creates an account with an invitation. */
export const joinInput = z.strictObject({ token, email, password, name: personName.optional() });
/** `revokeKeys`: also revoke the keys that the member created. */
export const leaveInput = z.strictObject({ projectId: idInput, revokeKeys: z.boolean().default(false) });

export const daysFrom = (now: number, days: number) => now + days * DAY_MS;
