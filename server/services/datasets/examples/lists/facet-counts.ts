import { type SQL, sql } from "drizzle-orm";
import { rowsOf } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";

/** Lower bounds of the token ranges. */
export const TOKEN_RANGES = [0, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] as const;

const rangeOf = (tokens: number) => TOKEN_RANGES.findLast((from) => tokens >= from) ?? 0;

/** The columns of a revision by which Examples are counted. */
export type Counted = {
  split: string;
  source_kind: string;
  objective: string | null;
  tags: readonly string[];
  tokens: number;
};

/** Collects how many Examples each facet gains or loses. */
export class FacetChanges {
  readonly #deltas = new Map<string, { facet: string; value: string; delta: number }>();

  add({ split, source_kind, objective, tags, tokens }: Counted, by: 1 | -1) {
    this.#count("split", split, by);
    this.#count("source", source_kind, by);
    if (objective !== null) this.#count("objective", objective, by);
    for (const tag of new Set(tags)) this.#count("tag", tag, by);
    this.#count("tokens", String(rangeOf(tokens)), by);
  }

  #count(facet: string, value: string, by: number) {
    const key = `${facet} ${value}`;
    const found = this.#deltas.get(key);
    if (found) found.delta += by;
    else this.#deltas.set(key, { facet, value, delta: by });
  }

  /** Stores the counts. The caller holds the Dataset's lock. */
  async store(tx: Ctx, datasetId: string) {
    const changes = [...this.#deltas.values()].filter(({ delta }) => delta !== 0);
    const [more, fewer] = [changes.filter(({ delta }) => delta > 0), changes.filter(({ delta }) => delta < 0)];
    const columns = "facet text, value text, delta int";
    if (fewer.length > 0) {
      await tx.db.execute(sql`
        update dataset_facets f set count = f.count + t.delta from ${rowsOf(fewer, columns)}
        where f.project_id = ${tx.projectId} and f.dataset_id = ${datasetId} and f.facet = t.facet and f.value = t.value`);
      await tx.db.execute(sql`
        delete from dataset_facets where project_id = ${tx.projectId} and dataset_id = ${datasetId} and count = 0`);
    }
    if (more.length === 0) return;
    await tx.db.execute(sql`
      insert into dataset_facets (project_id, dataset_id, facet, value, count)
      select ${tx.projectId}, ${datasetId}, t.facet, t.value, t.delta from ${rowsOf(more, columns)}
      on conflict (project_id, dataset_id, facet, value) do update set count = dataset_facets.count + excluded.count`);
  }
}

/** The token range of a revision. */
export const TOKEN_RANGE: SQL = sql`(
  select max(bound) from unnest(${sql.raw(`array[${TOKEN_RANGES.join(",")}]`)}) bound where bound <= tokens)`;

/** Recounts all facets of a Dataset from its Examples. The caller holds its lock. */
export async function recountFacets(tx: Ctx, datasetId: string) {
  await tx.db.execute(sql`delete from dataset_facets where project_id = ${tx.projectId} and dataset_id = ${datasetId}`);
  await tx.db.execute(sql`
    with current as (
      select split, source_kind, objective, tags, ${TOKEN_RANGE} as range from example_revisions
      where project_id = ${tx.projectId} and dataset_id = ${datasetId} and to_version is null
    ),
    counted as (
      select 'split' as facet, split as value, count(*) as count from current group by split
      union all select 'source', source_kind, count(*) from current group by source_kind
      union all select 'objective', objective, count(*) from current where objective is not null group by objective
      union all select 'tag', tag, count(*) from current, unnest(tags) tag group by tag
      union all select 'tokens', range::text, count(*) from current group by range
    )
    insert into dataset_facets (project_id, dataset_id, facet, value, count)
    select ${tx.projectId}, ${datasetId}, facet, value, count from counted`);
}
