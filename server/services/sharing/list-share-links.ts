import { and, eq, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { shareLinks } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { conversationIdsMatching } from "@/server/services/telemetry";
import { listShareLinksInput, shareLinksReply } from "./schemas";
import { isActive, selectLinks, shareLinkJson } from "./share-links";

export const listShareLinks = verb(
  {
    name: "shareLinks.list",
    summary: "List the project's share links, newest first. Never the links themselves.",
    description: "A link is shown only once, when it is created.",
    effect: "read",
    capability: "diagnostics:read",
    input: listShareLinksInput,
    reply: shareLinksReply,
  },
  async (ctx, { limit, cursor, conversationId, findingId, active }) => {
    const works = isActive(ctx.db);
    const filters = { project: ctx.projectId, conversationId, findingId, active };
    const { rows, nextCursor } = await listPage(
      { name: "share links", table: shareLinks, filters, limit, cursor },
      (after) =>
        selectLinks(
          ctx,
          and(
            conversationId === undefined
              ? undefined
              : sql`${shareLinks.conversationId} = any(${conversationIdsMatching(ctx.projectId, conversationId)})`,
            findingId === undefined ? undefined : eq(shareLinks.findingId, findingId),
            active === undefined ? undefined : active ? works : sql`not (${works})`,
            after,
          ),
        ),
    );
    const now = await databaseNow(ctx.db);
    return { shareLinks: rows.map((row) => shareLinkJson(row, now)), pagination: { limit, nextCursor } };
  },
);
