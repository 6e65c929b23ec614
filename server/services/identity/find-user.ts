import { eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";

/** The person with this address, whatever its case. For the operator's command line and for sign-in. */
export async function findUserByEmail(db: Db, email: string) {
  const [found] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, sql`lower(${email.trim()})`));
  return found;
}
