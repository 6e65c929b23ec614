import { eq, or, sql } from "drizzle-orm";
import { conversations } from "@/db/schema";

/** The key of the conversation that the client calls by this id. */
export const keyOfExternalId = (externalId: string) => `id:${externalId}`;

/** The condition that a conversation goes by this id: ours, or the client's own. */
export const matchesConversationId = (idOrExternalId: string) =>
  or(eq(conversations.id, idOrExternalId), eq(conversations.key, keyOfExternalId(idOrExternalId)));

/** The ids of the project's conversations that go by this id, for `= any(…)`: found first, whatever else is asked. */
export const conversationIdsMatching = (projectId: string, idOrExternalId: string) => sql`array(
  select ${conversations.id} from ${conversations} where ${conversations.projectId} = ${projectId} and ${matchesConversationId(idOrExternalId)})`;
