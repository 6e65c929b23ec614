import { z } from "zod";
import { INSTALLATION_RIGHTS } from "@/server/platform/capabilities";
import { filledText, idInput, pageInput, pagination, unixMs } from "@/server/platform/schemas";

export const email = z
  .string()
  .trim()
  .max(254)
  // The JSON Schema of a pipe describes its input only.
  .meta({ format: "email", pattern: z.regexes.email.source })
  .pipe(z.email());
/** Any characters, since length makes a password strong. The upper bound keeps hashing cheap. */
export const password = z.string().min(8).max(256);
export const personName = filledText(120);

/** Without a password: a person who signs in through a provider, or sets a password by a link. */
export const createUserInput = z.strictObject({ email, password: password.optional(), name: personName.optional() });
export type CreateUserInput = z.input<typeof createUserInput>;

export const completeSetupInput = z.strictObject({
  token: z.string().min(1).max(200),
  email,
  /** Omitted when passwords are disabled. */
  password: password.optional(),
  name: personName.optional(),
  projectName: filledText(120).optional(),
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
/** A password reset through somebody else's link. `by` is `null` for the operator; its fields are `null` for a deleted person. */
export const passwordReset = z.object({
  at: unixMs,
  by: z.object({ name: z.string().nullable(), email: z.string().nullable() }).nullable(),
});
export type PasswordReset = z.infer<typeof passwordReset>;
/**
 * `hasPassword` is `false` for a person who signs in only through a provider. `passwordReset` is the notice to show in this
 * browser; `null` when there is none or it was dismissed. `rights` apply outside any project.
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
/** The response is the same whether or not an account has the address. */
export const forgotPasswordInput = z.strictObject({ email });
export const renameMeInput = z.strictObject({ name: personName.nullable() });

/** A signed-in browser. Times are Unix ms. */
export const shownSession = z.object({
  id: z.string(),
  /** Whether this is the session of the request. */
  current: z.boolean(),
  userAgent: z.string().nullable(),
  createdAt: unixMs,
  /** Accurate to five minutes. */
  lastSeenAt: unixMs,
  expiresAt: unixMs,
});
export const listSessionsInput = z.strictObject(pageInput);
export const sessionsReply = z.object({ sessions: z.array(shownSession), pagination });
export const endSessionInput = z.strictObject({ sessionId: idInput });
/** `ended`: number of revoked sessions. */
export const endedReply = z.object({ ended: z.int() });

export const createPasswordResetInput = z.strictObject({ userId: idInput });
/**
 * `token` and `link` are returned only once, here; `null` when only the person may have them. `mailedTo`: the address that
 * the link is mailed to, if any.
 */
export const passwordResetReply = z.object({
  token: z.string().nullable(),
  link: z.string().nullable(),
  expiresAt: z.number(),
  mailedTo: z.string().nullable(),
});
