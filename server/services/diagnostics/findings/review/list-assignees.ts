import { sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { MEMBER_NAME } from "@/server/services/members";
import { assigneesReply, listAssigneesInput } from "../schemas";

const ASSIGNEES_MAX = 200;

export const listAssignees = verb(
  {
    name: "findings.assignees",
    summary: "List the members to whom a Finding can be assigned.",
    description: `Returns only their ids and names, sorted by name, at most ${ASSIGNEES_MAX}; \`q\` is the start of any word of a name. For a member without a name, the name is the part of the email address before the @. \`me\` is the caller.`,
    effect: "read",
    capability: "diagnostics:read",
    input: listAssigneesInput,
    reply: assigneesReply,
  },
  async (ctx, { q }) => {
    const me = ctx.actor.kind === "user" ? ctx.actor.userId : null;
    const starts = q === undefined ? null : ` ${q.toLowerCase()}`;
    const rows = await ctx.db.execute<{ id: string; name: string }>(sql`
      select * from (
        select u.id, ${MEMBER_NAME} as name from memberships m join users u on u.id = m.user_id
        where m.project_id = ${ctx.projectId} and u.disabled_at is null
      ) member
      where ${starts}::text is null or strpos(' ' || lower(name), ${starts}::text) > 0
      order by lower(name), id limit ${ASSIGNEES_MAX}`);
    return { assignees: [...rows].map(({ id, name }) => ({ userId: id, name, me: id === me })) };
  },
);
