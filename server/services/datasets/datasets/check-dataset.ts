import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { type datasetCheck, datasetCheckReply } from "./check-schemas";
import { readDatasetRow } from "./read-dataset";
import { groupsInSeveralSplits, readLikeness } from "./read-likeness";
import { datasetIdInput } from "./schemas";

/** How many Examples are compared; takes about a second. */
const EXAMPLES_READ = 10_000;
const LARGEST = 10;
const IDS = 5;

type Check = z.infer<typeof datasetCheck>;
type Kind = Exclude<keyof Check, "examplesRead" | "complete" | "heldOut">;
type Group = Check[Kind]["largest"][number];

export const checkDataset = verb(
  {
    name: "datasets.check",
    summary: "Find leakage between splits and duplicates among a Dataset's newest 10,000 Examples.",
    description:
      "`heldOut.seen` counts held-out Examples that training has copies of, also near copies; `…/clean-split` moves them to one side. Compares conversations, inputs and answers, ignoring case and white space, and takes about a second. Each kind has the number of its groups and the ten largest, each with up to five Examples. `complete` is `false` if the Dataset has more Examples than were compared.",
    effect: "read",
    capability: "workspace:read",
    input: datasetIdInput,
    reply: datasetCheckReply,
  },
  async (ctx, { datasetId }) => {
    const { exampleCount } = await readDatasetRow(ctx, datasetId);
    const found = await readGroups(ctx, datasetId);
    const of = (kind: Kind) => {
      const [first] = found.filter((row) => row.kind === kind);
      const largest: Group[] = found
        .filter((row) => row.kind === kind)
        .map(({ conversation_id, examples, splits, example_ids }) => ({
          conversationId: conversation_id,
          exampleCount: examples,
          splits,
          exampleIds: example_ids,
        }));
      return { count: first?.groups ?? 0, largest };
    };
    return {
      check: {
        examplesRead: Math.min(exampleCount, EXAMPLES_READ),
        complete: exampleCount <= EXAMPLES_READ,
        conversationsInSeveralSplits: of("conversationsInSeveralSplits"),
        inputsInSeveralSplits: of("inputsInSeveralSplits"),
        inputsWithSeveralAnswers: of("inputsWithSeveralAnswers"),
        answersOfSeveralInputs: of("answersOfSeveralInputs"),
        heldOut: await readHeldOut(ctx, datasetId),
      },
    };
  },
);

/** Counts the held-out Examples that training has copies of. */
async function readHeldOut(ctx: Ctx, datasetId: string): Promise<Check["heldOut"]> {
  const found = await readLikeness(ctx, datasetId, EXAMPLES_READ);
  const groups = groupsInSeveralSplits(found).filter((members) => members.some(({ split }) => split === "train"));
  const heldOut = (members: typeof found.examples) => members.filter(({ split }) => split !== "train").length;
  return {
    count: heldOut(found.examples),
    seen: groups.reduce((sum, members) => sum + heldOut(members), 0),
    ignored: found.dropped,
    largest: groups.slice(0, LARGEST).map((members) => ({
      conversationId: null,
      exampleCount: members.length,
      splits: [...new Set(members.map(({ split }) => split))].sort(),
      exampleIds: members.slice(0, IDS).map(({ id }) => id),
    })),
  };
}

type Row = {
  kind: Kind;
  conversation_id: string | null;
  examples: number;
  splits: Group["splits"];
  example_ids: string[];
  groups: number;
};

/** Returns the largest groups of each kind, and the number of groups. */
const readGroups = (ctx: Ctx, datasetId: string) =>
  ctx.db.execute<Row>(sql`
    with newest as materialized (
      select ordinal, example_id, split, conversation_id,
        md5(lower(regexp_replace((payload -> 'input' -> 'messages')::text, '\\s+', ' ', 'g'))) as input,
        md5(lower(regexp_replace((payload -> 'expectedOutput' -> 'message')::text, '\\s+', ' ', 'g'))) as answer
      from example_revisions
      where project_id = ${ctx.projectId} and dataset_id = ${datasetId} and to_version is null
      order by ordinal desc limit ${EXAMPLES_READ}
    ),
    keyed as (
      select 'conversationsInSeveralSplits' as kind, conversation_id as key, split as differs, * from newest
        where conversation_id is not null
      union all select 'inputsInSeveralSplits', input, split, * from newest
      union all select 'inputsWithSeveralAnswers', input, answer, * from newest
      union all select 'answersOfSeveralInputs', answer, input, * from newest
    ),
    grouped as (
      select kind, key, count(*)::int as examples, array_agg(distinct split) as splits,
        (array_agg(example_id order by ordinal desc))[1:${sql.raw(String(IDS))}] as example_ids
      from keyed group by kind, key having count(distinct differs) > 1
    ),
    ranked as (
      select *, count(*) over (partition by kind)::int as groups,
        row_number() over (partition by kind order by examples desc, key) as rank
      from grouped
    )
    select kind, case kind when 'conversationsInSeveralSplits' then key end as conversation_id, examples, splits,
      example_ids, groups
    from ranked where rank <= ${LARGEST} order by kind, rank`);
