import { and, eq, gte, inArray, lt, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { apiKeys, auditLog, users } from "@/db/schema";
import { byTime } from "@/server/platform/cursor";
import { readNames } from "@/server/platform/names";
import { verb } from "@/server/platform/verb";
import { auditEntryOf } from "./entry";
import { recordedNames } from "./former-actions";
import { auditReply, listAuditInput } from "./schemas";

const targetUsers = alias(users, "target_users");
const targetKeys = alias(apiKeys, "target_keys");

/** `apiKeys` matches every action on API keys, `apiKeys.create` only that one. */
function actionIs(action: string) {
  const named = inArray(auditLog.action, recordedNames(action));
  return action.includes(".") ? named : or(named, sql`split_part(${auditLog.action}, '.', 1) = ${action}`);
}

export const listAudit = verb(
  {
    name: "audit.list",
    summary:
      "List all changes in the project, by default newest first: who, through which interface, what, before and after.",
    description: "Rows are never changed or deleted while the project exists. They contain no secrets.",
    capability: "project:admin",
    effect: "read",
    input: listAuditInput,
    reply: auditReply,
  },
  async (ctx, { limit, cursor, order, ...filters }) => {
    const list = byTime({
      name: "audit-log",
      filters: { project: ctx.projectId, ...filters },
      order,
      time: auditLog.createdAt,
      id: auditLog.id,
      limit,
      cursor,
    });
    const { actorId, action, targetId, createdAfter, createdBefore } = filters;
    const found = await ctx.db
      .select({
        row: auditLog,
        actor: sql<string | null>`coalesce(${users.email}, ${apiKeys.name})`,
        target: sql<string | null>`coalesce(${targetUsers.email}, ${targetKeys.name})`,
      })
      .from(auditLog)
      .leftJoin(users, and(eq(auditLog.actorKind, "user"), eq(users.id, auditLog.actorId)))
      .leftJoin(
        apiKeys,
        and(
          eq(auditLog.actorKind, "apiKey"),
          eq(apiKeys.projectId, auditLog.projectId),
          eq(apiKeys.id, auditLog.actorId),
        ),
      )
      .leftJoin(targetUsers, and(eq(auditLog.targetType, "user"), eq(targetUsers.id, auditLog.targetId)))
      .leftJoin(
        targetKeys,
        and(
          eq(auditLog.targetType, "key"),
          eq(targetKeys.projectId, auditLog.projectId),
          eq(targetKeys.id, auditLog.targetId),
        ),
      )
      .where(
        and(
          eq(auditLog.projectId, ctx.projectId),
          actorId === undefined ? undefined : eq(auditLog.actorId, actorId),
          action === undefined ? undefined : actionIs(action),
          targetId === undefined ? undefined : eq(auditLog.targetId, targetId),
          createdAfter === undefined ? undefined : gte(auditLog.createdAt, createdAfter),
          createdBefore === undefined ? undefined : lt(auditLog.createdAt, createdBefore),
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ row }) => [row.createdAt, row.id]);
    const nameOf = await readNames(
      ctx,
      rows.flatMap(({ row: { targetType: type, targetId: id } }) =>
        type === null || id === null ? [] : [{ type, id }],
      ),
    );
    return {
      entries: rows.map(({ row, ...names }) => {
        const entry = auditEntryOf(row, names);
        return entry.target === null || entry.target.name !== null
          ? entry
          : { ...entry, target: { ...entry.target, name: nameOf(entry.target) } };
      }),
      pagination: { limit, nextCursor },
    };
  },
);
