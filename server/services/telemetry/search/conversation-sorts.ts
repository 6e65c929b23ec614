import { desc, type SQL, sql } from "drizzle-orm";
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

/** SQL of the tokens in a usage; `null` if it is empty. Each name on its own: unpacking the object takes 1.4 times as long. */
export function tokensIn(usage: SQL): SQL {
  const units = TOKEN_NAMES.map((name) => sql`coalesce((${usage} ->> ${sql.raw(`'${name}'`)})::numeric, 0)`);
  return sql`case when ${usage} <> '{}' then ${sql.join(units, sql` + `)} end`;
}

/** What conversations can be sorted by. */
export const SORTS: Record<ConversationSort, Sort> = {
  started: { by: conversations.startedAt, type: "bigint", indexed: true },
  last_activity: { by: conversations.lastActivityAt, type: "bigint", indexed: true },
  cost: { by: conversations.cost, type: "numeric", nullable: true, indexed: true },
  tokens: {
    by: tokensIn(sql`${conversations.usage}`),
    type: "numeric",
    nullable: true,
    indexed: false,
  },
  messages: { by: conversations.messageCount, type: "bigint", indexed: true },
  // Must match the index expression.
  duration: { by: sql`(conversations.last_activity_at - conversations.started_at)`, type: "bigint", indexed: true },
};
