import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { hashPassword } from "./password";
import { type CreateUserInput, createUserInput, type User } from "./schemas";

/** Adds a person who can sign in. The address is compared without regard to case. */
export async function createUser(db: Db, input: CreateUserInput): Promise<User> {
  const { email, password, name } = createUserInput.parse(input);
  const passwordHash = await hashPassword(password);
  const [created] = await db
    .insert(users)
    .values({ id: newId("usr"), email, name: name ?? null, passwordHash })
    .onConflictDoNothing()
    .returning({ id: users.id, email: users.email, name: users.name, createdAt: users.createdAt });
  if (!created) throw new ServiceError("conflict", "A person with this e-mail address exists already.");
  return created;
}
