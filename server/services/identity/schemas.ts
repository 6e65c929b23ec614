import { z } from "zod";
import { INSTALLATION_RIGHTS } from "@/server/platform/capabilities";
import { idInput, pageInput, pagination, unixMs } from "@/server/platform/schemas";

export const email = z
  .string()
  .trim()
  .max(254)
  // Of a pipe, a JSON Schema tells the way in only.
  .meta({ format: "email", pattern: z.regexes.email.source })
  .pipe(z.email());
/** Any characters: length is what makes a password strong. The upper bound keeps hashing cheap. */
export const password = z.string().min(8).max(256);
export const personName = z.string().trim().min(1).max(120);

/** Without a password: somebody who comes in through a provider, or sets one by a link. */
export const createUserInput = z.strictObject({ email, password: password.optional(), name: personName.optional() });
export type CreateUserInput = z.input<typeof createUserInput>;

export const completeSetupInput = z.strictObject({
  token: z.string().min(1).max(200),
  email,
  /** Left out where passwords are switched off. */
  password: password.optional(),
  name: personName.optional(),
  projectName: z.string().trim().min(1).max(120).optional(),
});
export type CompleteSetupInput = z.input<typeof completeSetupInput>;

/** A person as shown. `createdAt` is Unix ms. */
export const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  createdAt: z.number(),
});
export type User = z.infer<typeof user>;
export const userReply = z.object({ user });
/** That a link of somebody else set a person's password. `by` is `null` for whoever runs the installation, its fields for a person who is gone. */
export const passwordReset = z.object({
  at: unixMs,
  by: z.object({ name: z.string().nullable(), email: z.string().nullable() }).nullable(),
});
export type PasswordReset = z.infer<typeof passwordReset>;
/**
 * `hasPassword` is false for somebody who comes in through a provider only. `passwordReset` is what the person has to be
 * told in this browser; `null` where there is nothing, or they have said that they read it. `rights` are those outside any project.
 */
export const meReply = z.object({
  user,
  hasPassword: z.boolean(),
  rights: z.array(z.enum(INSTALLATION_RIGHTS)),
  passwordReset: passwordReset.nullable(),
});

export const changePasswordInput = z.strictObject({
  currentPassword: z.string().min(1).max(256),
  newPassword: password,
});
export const resetPasswordInput = z.strictObject({ token: z.string().min(1).max(200), password });
/** The answer is the same whether anybody has the address. */
export const forgotPasswordInput = z.strictObject({ email });
export const renameMeInput = z.strictObject({ name: personName.nullable() });

/** A browser that is signed in. Times are Unix ms. */
export const shownSession = z.object({
  id: z.string(),
  /** The one that asks. */
  current: z.boolean(),
  userAgent: z.string().nullable(),
  createdAt: unixMs,
  /** To five minutes. */
  lastSeenAt: unixMs,
  expiresAt: unixMs,
});
export const listSessionsInput = z.strictObject(pageInput);
export const sessionsReply = z.object({ sessions: z.array(shownSession), pagination });
export const endSessionInput = z.strictObject({ sessionId: idInput });
/** How many sessions were ended. */
export const endedReply = z.object({ ended: z.int() });

export const createPasswordResetInput = z.strictObject({ userId: idInput });
/**
 * `token` and `link` are shown here and never again; `null` where only the person may have them. `mailedTo`: the address to
 * which the link is mailed, if any.
 */
export const passwordResetReply = z.object({
  token: z.string().nullable(),
  link: z.string().nullable(),
  expiresAt: z.number(),
  mailedTo: z.string().nullable(),
});
