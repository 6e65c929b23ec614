import { desc, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { conversations } from "@/db/schema";
import type { SortKey } from "@/server/platform/sorted-page";
import { TOKEN_NAMES } from "@/server/services/pricing/usage/schemas";
import type { ConversationSort } from "../schemas";

/** Newest first. */
export const NEWEST = [desc(conversations.startedAt), desc(conversations.id)];

type Sort = SortKey & {
  /** Whether an index sorts the whole project. */
  indexed: boolean;
};

/** What conversations can be sorted by. */
export const SORTS: Record<ConversationSort, Sort> = {
  started: { by: conversations.startedAt, type: "bigint", indexed: true },
  last_activity: { by: conversations.lastActivityAt, type: "bigint", indexed: true },
  cost: { by: conversations.cost, type: "numeric", nullable: true, indexed: true },
  tokens: {
    by: sql`(
      select case when count(*) > 0 then coalesce(sum(value::numeric) filter (where key = any(${textArray([...TOKEN_NAMES])})), 0) end
      from jsonb_each_text(${conversations.usage}))`,
    type: "numeric",
    nullable: true,
    indexed: false,
  },
  messages: { by: conversations.messageCount, type: "bigint", indexed: true },
  // Must match the index expression.
  duration: { by: sql`(conversations.last_activity_at - conversations.started_at)`, type: "bigint", indexed: true },
};
