import { z } from "zod";
import { ROLES } from "@/server/platform/capabilities";
import { idInput, pageInput, pagination } from "@/server/platform/schemas";

/** Projects of one person that a list shows; `projectCount` is how many there are. */
export const PROJECTS_SHOWN = 20;

const projectOfPerson = z.object({ id: z.string(), name: z.string(), role: z.enum(ROLES) });

/** Somebody who has an account. Times are Unix ms. */
export const person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  createdAt: z.number(),
  /** When they last signed in; `null`: not yet. */
  lastSignInAt: z.number().nullable(),
  /** Since when they cannot sign in; `null` for who can. */
  disabledAt: z.number().nullable(),
  installationOwner: z.boolean(),
  /** Owners of the installation may, whatever this says. */
  mayCreateProjects: z.boolean(),
  projectCount: z.int(),
  /** The first of them, by name. */
  projects: z.array(projectOfPerson),
});
export type Person = z.infer<typeof person>;
export const listPeopleInput = z.strictObject(pageInput);
export const peopleReply = z.object({ people: z.array(person), pagination });

export const personInput = z.strictObject({ userId: idInput });

/** What disabling or erasing somebody touches. */
export const impact = z.object({
  /** Browsers in which they are signed in. */
  sessions: z.int(),
  /** API keys that they made, of any project, and that still open something. */
  activeKeyCount: z.int(),
  /** Projects that nobody else owns who can sign in: to be handed over before they are erased. */
  soleOwnerOf: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type PersonImpact = z.infer<typeof impact>;
export const personWithImpactReply = z.object({ person, impact });
export const personReply = z.object({ person });

/** `revokeKeys`: the API keys that they made, in every project. */
export const disableInput = z.strictObject({ userId: idInput, revokeKeys: z.boolean().default(false) });
/** `keysLeft`: keys that they made and that still open something. */
export const disabledReply = z.object({
  person,
  sessionsEnded: z.int(),
  keysRevoked: z.int(),
  keysLeft: z.int(),
});

export const changeRightsInput = z
  .strictObject({
    userId: idInput,
    installationOwner: z.boolean().optional(),
    mayCreateProjects: z.boolean().optional(),
  })
  .refine((given) => given.installationOwner !== undefined || given.mayCreateProjects !== undefined, {
    message: "Say which right to change.",
  });

/** `email`: their address, typed once more. */
export const eraseInput = z.strictObject({
  userId: idInput,
  email: z.string().trim().min(1).max(254),
  revokeKeys: z.boolean().default(false),
});
export const erasedReply = z.object({ ok: z.literal(true), keysRevoked: z.int(), keysLeft: z.int() });

/** A project of which `userId` is the only owner, and who owns it from now on. */
export const handOverInput = z.strictObject({ userId: idInput, projectId: idInput, toUserId: idInput });
