import { z } from "zod";

export const email = z.string().trim().max(254).pipe(z.email());
/** Any characters: length is what makes a password strong. The upper bound keeps hashing cheap. */
export const password = z.string().min(8).max(256);
const personName = z.string().trim().min(1).max(120);

export const createUserInput = z.strictObject({ email, password, name: personName.optional() });
export type CreateUserInput = z.input<typeof createUserInput>;

export const completeSetupInput = z.strictObject({
  token: z.string().min(1).max(200),
  email,
  password,
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
