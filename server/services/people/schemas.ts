import { z } from "zod";
import { ROLES } from "@/server/platform/capabilities";
import { filledText, idInput, pageInput, pagination } from "@/server/platform/schemas";

/** Projects of one person in a list; `projectCount` is the total. */
export const PROJECTS_SHOWN = 20;

const projectOfPerson = z.object({ id: z.string(), name: z.string(), role: z.enum(ROLES) });

/** A person with an account. Times are Unix ms. */
export const person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  createdAt: z.number(),
  /** When they last signed in; `null`: never. */
  lastSignInAt: z.number().nullable(),
  /** When they were disabled; `null` for a person who can sign in. */
  disabledAt: z.number().nullable(),
  installationOwner: z.boolean(),
  /** Owners of the installation always may. */
  mayCreateProjects: z.boolean(),
  projectCount: z.int(),
  /** The first projects, by name. */
  projects: z.array(projectOfPerson),
});
export type Person = z.infer<typeof person>;
export const listPeopleInput = z.strictObject(pageInput);
export const peopleReply = z.object({ people: z.array(person), pagination });

export const personInput = z.strictObject({ userId: idInput });

/** What disabling or erasing a person affects. */
export const impact = z.object({
  /** Number of browsers in which they are signed in. */
  sessions: z.int(),
  /** Number of active API keys that they created, in any project. */
  activeKeyCount: z.int(),
  /** Projects without another owner who can sign in: they must be transferred before the person is erased. */
  soleOwnerOf: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type PersonImpact = z.infer<typeof impact>;
export const personWithImpactReply = z.object({ person, impact });
export const personReply = z.object({ person });

/** `revokeKeys`: also revoke the API keys that they created, in every project. */
export const disableInput = z.strictObject({ userId: idInput, revokeKeys: z.boolean().default(false) });
/** `keysLeft`: number of keys that they created and that are still active. */
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
    message: "Specify which right to change.",
  });

/** `email` repeats their address as a confirmation. */
export const eraseInput = z.strictObject({
  userId: idInput,
  email: filledText(254),
  revokeKeys: z.boolean().default(false),
});
export const erasedReply = z.object({ ok: z.literal(true), keysRevoked: z.int(), keysLeft: z.int() });

/** `userId` is the project's only owner, `toUserId` its new one. */
export const handOverInput = z.strictObject({ userId: idInput, projectId: idInput, toUserId: idInput });
