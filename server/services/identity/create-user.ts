import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { hashPassword } from "./password";
import { type CreateUserInput, createUserInput, type User } from "./schemas";

/** The first person owns the installation, whether created by the printed link or by the operator's command. */
const isFirst = sql`not exists (select 1 from ${users})`;

/**
 * Creates a user. Addresses are compared case-insensitively; throws `conflict` when the address is taken. `emailProven`:
 * whether the address is verified to be theirs.
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
  if (!created) throw new ServiceError("conflict", "A person with this e-mail address already exists.");
  return created;
}
