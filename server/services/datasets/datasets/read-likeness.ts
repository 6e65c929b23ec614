import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import type { Split } from "../examples/types";
import { type Groups, groupsOf } from "../likeness/groups";
import { likenessColumns, likenessOf, type StoredLikeness } from "../likeness/stored-likeness";

/** An Example as far as it is compared. */
export type Compared = { id: string; split: Split };

type Row = StoredLikeness & { example_id: string; split: Split };

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
    select e.example_id, e.split, ${likenessColumns(sql`e`)} from example_revisions e
    where e.project_id = ${projectId} and e.dataset_id = ${datasetId} and e.to_version is null
    order by e.ordinal desc limit ${limit}`);
  const groups = groupsOf([...rows].map(likenessOf), { splits: true });
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
