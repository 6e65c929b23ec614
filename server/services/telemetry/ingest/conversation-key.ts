import { eq, or, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";

/** Returns the key of the conversation with this client id. */
export const keyOfExternalId = (externalId: string) => `id:${externalId}`;

/** Condition: the conversation has this id, ours or the client's own. */
export const matchesConversationId = (idOrExternalId: string) =>
  or(eq(conversations.id, idOrExternalId), eq(conversations.key, keyOfExternalId(idOrExternalId)));

/** Returns the ids of the project's conversations with this id as an SQL array for `= any(…)`, evaluated before other conditions. */
export const conversationIdsMatching = (projectId: string, idOrExternalId: string) => sql`array(
  select ${conversations.id} from ${conversations} where ${conversations.projectId} = ${projectId} and ${matchesConversationId(idOrExternalId)})`;
