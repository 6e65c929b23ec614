import { type SQL, sql } from "drizzle-orm";
import type { LikenessOf } from "./groups";

/** What is read of a stored Example to compare it. */
export type StoredLikeness = {
  conversation_id: string | null;
  user_id: string | null;
  messages: LikenessOf["messages"];
  answer: string | null;
};

/** The columns of `StoredLikeness`, of the row of `example_revisions` named `e`: of the messages those that a question is taken from. */
export const likenessColumns = (e: SQL) => sql`${e}.conversation_id, ${e}.user_id,
  jsonb_path_query_array(${e}.payload, '$.input.messages[0 to 7]') as messages,
  ${e}.payload #>> '{expectedOutput,message,content}' as answer`;

export const likenessOf = ({ conversation_id, user_id, messages, answer }: StoredLikeness): LikenessOf => ({
  conversationId: conversation_id,
  userId: user_id,
  messages: withoutInstructions(messages),
  answer,
});

/** Returns the messages without those of the application, which all Examples may share. */
export const withoutInstructions = (messages: LikenessOf["messages"]): LikenessOf["messages"] =>
  messages.filter(({ role }) => role !== "system" && role !== "developer");
