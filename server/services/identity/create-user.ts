import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { hashPassword } from "./password";
import { type CreateUserInput, createUserInput, type User } from "./schemas";

/**
 * Adds a person who can sign in. The address is compared without regard to case. `emailProven`: whether somebody vouches
 * that it is theirs.
 */
export async function createUser(db: Db, input: CreateUserInput, { emailProven = true } = {}): Promise<User> {
  const { email, password, name } = createUserInput.parse(input);
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const [created] = await db
    .insert(users)
    .values({ id: newId("usr"), email, name: name ?? null, passwordHash, emailProven })
    .onConflictDoNothing()
    .returning({ id: users.id, email: users.email, name: users.name, createdAt: users.createdAt });
  if (!created) throw new ServiceError("conflict", "A person with this e-mail address exists already.");
  return created;
}
