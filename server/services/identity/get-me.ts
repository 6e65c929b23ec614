import { eq, isNotNull } from "drizzle-orm";
import { z } from "zod";
import { users } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { accountVerb } from "@/server/platform/verb";
import { meReply } from "./schemas";

export const getMe = accountVerb(
  {
    name: "account.me",
    summary: "The signed-in person.",
    effect: "read",
    input: z.strictObject({}),
    reply: meReply,
  },
  async ({ db, userId }) => {
    const [found] = await db
      .select({
        user: { id: users.id, email: users.email, name: users.name, createdAt: users.createdAt },
        hasPassword: isNotNull(users.passwordHash).mapWith(Boolean),
      })
      .from(users)
      .where(eq(users.id, userId));
    if (!found) throw notFound("The person");
    return found;
  },
);
