import { and, eq, sql } from "drizzle-orm";
import { findingEvents } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { namedActors } from "@/server/services/members";
import { mergedWith, requireFinding } from "./merged-with";
import { findingEventsReply, listFindingEventsInput } from "./schemas";

export const listFindingEvents = verb(
  {
    name: "findings.events",
    summary: "Read the history of a Finding, newest first.",
    description:
      "Includes what happened to Findings that were merged into it. `origin` is that of the Rule Runs behind an event; `changeId` undoes what a person did.",
    effect: "read",
    capability: "diagnostics:read",
    input: listFindingEventsInput,
    reply: findingEventsReply,
  },
  async (ctx, { findingId, limit, cursor }) => {
    await requireFinding(ctx, findingId);
    const list = newestFirst({
      name: "findingEvents",
      filters: { project: ctx.projectId, findingId },
      time: findingEvents.at,
      id: findingEvents.id,
      limit,
      cursor,
    });
    const found = await ctx.db
      .select()
      .from(findingEvents)
      .where(
        and(
          eq(findingEvents.projectId, ctx.projectId),
          sql`${findingEvents.findingId} = any(${mergedWith(ctx, findingId)})`,
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, (row) => [row.at, row.id]);
    const actorOf = ({ actorKind, actorId }: (typeof rows)[number]) => ({ kind: actorKind, id: actorId });
    const named = await namedActors(ctx, rows.map(actorOf));
    const events = rows.map((event) => ({ ...event, actor: named(actorOf(event)) }));
    return { events, pagination: { limit, nextCursor } };
  },
);
