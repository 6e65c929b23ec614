import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";

type Person = { email: string; name: string | null };
export const personOf = async (db: Db, userId: string): Promise<Person | undefined> =>
  (await db.select({ email: users.email, name: users.name }).from(users).where(eq(users.id, userId)))[0];

/** Returns a person's name as e-mails show it. */
export const personLabel = ({ email, name }: Person) => (name === null ? email : `${name} (${email})`);
