import { eq } from "drizzle-orm";
import { users } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { accountVerb } from "@/server/platform/verb";
import { getMe } from "./get-me";
import { renameMeInput, userReply } from "./schemas";

export const renameMe = accountVerb(
  {
    name: "account.rename",
    summary: "Change your own display name.",
    effect: "write",
    input: renameMeInput,
    reply: userReply,
  },
  async (ctx, { name }) => {
    const { user } = await getMe(ctx, {});
    await ctx.db.update(users).set({ name }).where(eq(users.id, ctx.userId));
    auditNote(ctx, { target: { type: "user", id: user.id }, before: { name: user.name }, after: { name } });
    return { user: { ...user, name } };
  },
);
