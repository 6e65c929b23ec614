import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { hashPassword } from "./password";
import { type CreateUserInput, createUserInput, type User } from "./schemas";

/** Whoever comes first owns the installation: by the printed link, or by the operator's command. */
const isFirst = sql`not exists (select 1 from ${users})`;

/**
 * Adds a person who can sign in. The address is compared without regard to case. `emailProven`: whether somebody vouches
 * that it is theirs.
 */
export async function createUser(db: Db, input: CreateUserInput, { emailProven = true } = {}): Promise<User> {
  const { email, password, name } = createUserInput.parse(input);
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const [created] = await db
    .insert(users)
    .values({
      id: newId("usr"),
      email,
      name: name ?? null,
      passwordHash,
      emailProven,
      installationOwner: isFirst,
      mayCreateProjects: isFirst,
    })
    .onConflictDoNothing()
    .returning({ id: users.id, email: users.email, name: users.name, createdAt: users.createdAt });
  if (!created) throw new ServiceError("conflict", "A person with this e-mail address exists already.");
  return created;
}
