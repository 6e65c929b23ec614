import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import type { Split } from "../examples/types";
import { type Groups, groupsOf, type LikenessOf } from "../likeness/groups";

/** An Example as far as it is compared. */
export type Compared = { id: string; split: Split };

type Row = {
  example_id: string;
  split: Split;
  conversation_id: string | null;
  user_id: string | null;
  messages: LikenessOf["messages"];
  answer: string | null;
};

/**
 * Groups a Dataset's newest Examples by what must be on one side of a split. Takes about a second for 10,000, and twice that for
 * twice as many.
 */
export async function readLikeness(
  { db, projectId }: Ctx,
  datasetId: string,
  limit: number,
): Promise<{ examples: Compared[] } & Groups> {
  const rows = await db.execute<Row>(sql`
    select example_id, split, conversation_id, user_id,
      jsonb_path_query_array(payload, '$.input.messages[0 to 7]') as messages,
      payload #>> '{expectedOutput,message,content}' as answer
    from example_revisions
    where project_id = ${projectId} and dataset_id = ${datasetId} and to_version is null
    order by ordinal desc limit ${limit}`);
  const groups = groupsOf(
    [...rows].map(({ conversation_id, user_id, messages, answer }) => ({
      conversationId: conversation_id,
      userId: user_id,
      messages: messages.filter(({ role }) => role !== "system" && role !== "developer"),
      answer,
    })),
    { splits: true },
  );
  return { examples: [...rows].map(({ example_id, split }) => ({ id: example_id, split })), ...groups };
}

/** Returns the members of each group that is in several splits, largest first. */
export function groupsInSeveralSplits({ examples, of }: { examples: readonly Compared[]; of: readonly number[] }) {
  const groups = new Map<number, Compared[]>();
  for (const [index, example] of examples.entries()) {
    const members = groups.get(of[index]!);
    if (members) members.push(example);
    else groups.set(of[index]!, [example]);
  }
  return [...groups.values()]
    .filter((members) => members.some(({ split }) => split !== members[0]!.split))
    .toSorted((a, b) => b.length - a.length);
}
