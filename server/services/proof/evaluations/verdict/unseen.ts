import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import {
  type GroupDropped,
  groupsOf,
  type LikenessOf,
  likenessColumns,
  likenessOf,
  type StoredLikeness,
} from "@/server/services/datasets";
import { taughtExamples } from "../held-out";

/** Trained Examples that prompts are compared with, which bounds memory. */
const TAUGHT_MAX = 200_000;

/** The groups of prompts, together with what a model was trained on. */
export type Unseen = {
  /** The number of each prompt's group. */
  groups: number[];
  /** Whether its group has an Example that a model was trained on. */
  isSeen: boolean[];
  dropped: GroupDropped[];
};

/** Finds prompts that have a near copy, or an Example of the same conversation or user, in what the checkpoints were trained on. */
export async function groupedWithTaught(
  ctx: Ctx,
  checkpointIds: readonly string[],
  prompts: readonly LikenessOf[],
): Promise<Unseen> {
  if (prompts.length === 0) return { groups: [], isSeen: [], dropped: [] };
  const rows = await ctx.db.execute<StoredLikeness>(sql`
    select distinct on (e.dataset_id, e.example_id, e.content_hash) ${likenessColumns(sql`e`)}
    from (${taughtExamples(ctx.projectId, checkpointIds)}) t
    join example_revisions e on e.project_id = ${ctx.projectId} and e.dataset_id = t.dataset_id
      and e.example_id = t.example_id and e.content_hash = t.content_hash
    order by e.dataset_id, e.example_id, e.content_hash limit ${TAUGHT_MAX}`);
  const taught = [...rows].map(likenessOf);
  const { of, dropped } = groupsOf([...taught, ...prompts]);
  const taughtGroups = new Set(of.slice(0, taught.length));
  const groups = of.slice(taught.length);
  return { groups, isSeen: groups.map((group) => taughtGroups.has(group)), dropped };
}

/** Orders items so that each group comes once before any comes again, and otherwise as they are. */
export function oneOfEachFirst<Item extends { group: number }>(items: readonly Item[]): Item[] {
  const seen = new Map<number, number>();
  const ranked = items.map((item, at) => {
    const rank = seen.get(item.group) ?? 0;
    seen.set(item.group, rank + 1);
    return { item, rank, at };
  });
  return ranked.sort((a, b) => a.rank - b.rank || a.at - b.at).map(({ item }) => item);
}
