import type { Ctx } from "@/server/platform/context";
import {
  diffVersions,
  exampleFacets,
  getDataset,
  getExample,
  getVersion,
  listExamples,
  listVersions,
} from "@/server/services/datasets";
import { cursorAt, type World } from "../scale/world";
import { TAGS, WORDS } from "./fill-examples";

const PLACES = 20;
const NUMBERS = Array.from({ length: PLACES }, (_, n) => n);

export type DatasetRead = {
  name: string;
  /** The bound applies to all groups except `other`, which is only shown. */
  group: "list" | "search" | "facets" | "other";
  calls: (world: World, datasetId: string, examples: number) => Promise<(() => Promise<unknown>)[]>;
};

type Filters = Omit<Parameters<typeof listExamples>[1], "datasetId">;

const listed = (
  group: DatasetRead["group"],
  name: string,
  inputs: (examples: number) => readonly Filters[],
): DatasetRead => ({
  name,
  group,
  calls: async (world, datasetId, examples) =>
    inputs(examples).map((filters) => () => listExamples(world.big, { datasetId, ...filters })),
});

/** Pages from all over a list, as when somebody reads page 400. */
const paged = (group: DatasetRead["group"], name: string, filters: Filters): DatasetRead => ({
  name: `${name}, pages from anywhere`,
  group,
  calls: async (world, datasetId, examples) => {
    const first = await listExamples(world.big, { datasetId, ...filters, limit: 1 });
    const places = await placesOf(world, datasetId, examples);
    return places.map((at) => {
      const cursor = cursorAt(first.nextCursor ?? "", at);
      return () => listExamples(world.big, { datasetId, ...filters, cursor });
    });
  },
});

/** Ordinals and ids of Examples spread over a Dataset. */
async function placesOf({ sql, big }: World, datasetId: string, examples: number) {
  const ordinals = NUMBERS.map((n) => Math.floor(((n + 0.5) * examples) / PLACES));
  const rows = await sql<{ time: number; id: string }[]>`
    select ordinal as time, example_id as id from example_revisions
    where project_id = ${big.projectId} and dataset_id = ${datasetId} and ordinal = any(${ordinals}) and to_version is null`;
  return [...rows];
}

const one = (
  name: string,
  call: (ctx: Ctx, datasetId: string) => Promise<unknown>,
  group: DatasetRead["group"] = "other",
) => ({
  name,
  group,
  calls: async (world: World, datasetId: string) => [() => call(world.big, datasetId)],
});
const all = (filters: Filters) => () => [filters];
/** Numbers of Examples from all over the Dataset, so that words of all ages are searched. */
const spread = (examples: number, of: number, query: (n: number) => Filters) =>
  NUMBERS.map((n) => query(Math.floor(((n + 0.5) * examples) / PLACES) % of));

export const DATASET_READS: readonly DatasetRead[] = [
  listed("list", "all, first page", all({})),
  listed("list", "500 a page", all({ limit: 500 })),
  paged("list", "all", {}),
  listed("list", "of a tenth, by split", all({ split: "test" })),
  paged("list", "of a tenth, by split", { split: "test" }),
  listed("list", "of a common tag", all({ tag: TAGS.common })),
  listed("list", "of a rare tag", all({ tag: TAGS.rare })),
  paged("list", "of a rare tag", { tag: TAGS.rare }),
  listed("list", "of an earlier version", all({ version: 1 })),
  paged("list", "of an earlier version", { version: 1 }),
  listed("search", "a word of nearly all", all({ q: WORDS.common })),
  paged("search", "a word of nearly all", { q: WORDS.common }),
  listed("search", "a word of one in 2,000", (examples) => spread(examples, 2_000, (n) => ({ q: WORDS.second(n) }))),
  listed("search", "a word of one in 20,000", (examples) => spread(examples, 20_000, (n) => ({ q: WORDS.first(n) }))),
  listed("search", "a word of one Example", (examples) => spread(examples, examples, (n) => ({ q: WORDS.own(n) }))),
  listed("search", "a word of none", all({ q: "nobodywrotethis" })),
  listed("search", "two words, one of nearly all", (examples) =>
    spread(examples, 2_000, (n) => ({ q: `${WORDS.common} ${WORDS.second(n)}` })),
  ),
  listed("search", "a word in a split", (examples) =>
    spread(examples, 2_000, (n) => ({ q: WORDS.second(n), split: "train" })),
  ),
  one("facets", (ctx, datasetId) => exampleFacets(ctx, { datasetId }), "facets"),
  one("the Dataset", (ctx, datasetId) => getDataset(ctx, { datasetId })),
  one("its versions", (ctx, datasetId) => listVersions(ctx, { datasetId })),
  one("a version", (ctx, datasetId) => getVersion(ctx, { datasetId, version: 1 })),
  one("what an edit of 100 changed", (ctx, datasetId) => diffVersions(ctx, { datasetId, from: 1, to: 2 })),
  {
    name: "an Example",
    group: "other",
    calls: async (world, datasetId, examples) =>
      (await placesOf(world, datasetId, examples)).map(
        ({ id }) =>
          () =>
            getExample(world.big, { datasetId, exampleId: id }),
      ),
  },
];
