import { type SQL, sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { PromptMessage } from "./schemas";
import { answerText, type Call } from "./verdict/answer-text";

export type HeldOutExample = {
  datasetId: string;
  exampleId: string;
  split: "validation" | "test";
  conversationId: string | null;
  userId: string | null;
  prompt: PromptMessage[];
  expected: string;
};

export type HeldOut = {
  examples: HeldOutExample[];
  available: number;
  trainedOn: number;
  notText: number;
};

type ToolCall = { function: Call };
type Message = { role: string; content?: string | null; tool_calls?: ToolCall[] };
type Row = {
  example_id: string;
  split: "validation" | "test";
  conversation_id: string | null;
  user_id: string | null;
  messages: Message[];
  answer: Message;
};
type Counts = { available: number; trained_on: number; not_text: number };

/**
 * Returns a query of the Dataset versions (`dataset_id`, `version`) that any of these checkpoints was trained on: by its own
 * job, or by the jobs of the checkpoints that it continues from.
 */
const taughtBy = (projectId: string, checkpointIds: readonly string[]): SQL => sql`
  with recursive line as (
    select j.dataset_id, j.dataset_version as version, j.parent_checkpoint_id from checkpoints c
    join training_jobs j on j.project_id = c.project_id and j.id = c.job_id
    where c.project_id = ${projectId} and c.id = any(${textArray(checkpointIds)})
    union
    select j.dataset_id, j.dataset_version, j.parent_checkpoint_id from line
    join checkpoints c on c.project_id = ${projectId} and c.id = line.parent_checkpoint_id
    join training_jobs j on j.project_id = c.project_id and j.id = c.job_id
  ) select distinct dataset_id, version from line`;

/** Returns a query of the Examples that any of these checkpoints was trained on. */
export const taughtExamples = (projectId: string, checkpointIds: readonly string[]): SQL => sql`
  select t.dataset_id, t.example_id, t.content_hash, t.conversation_id
  from (${taughtBy(projectId, checkpointIds)}) v
  join example_revisions t on t.project_id = ${projectId} and t.dataset_id = v.dataset_id and t.split = 'train'
    and t.from_version <= v.version and coalesce(t.to_version > v.version, true)`;

/** Returns the conversations that any of these checkpoints was trained on. */
export async function taughtConversations({ db, projectId }: Ctx, checkpointIds: readonly string[]) {
  const rows = await db.execute<{ conversation_id: string }>(sql`
    select distinct conversation_id from (${taughtExamples(projectId, checkpointIds)}) taught
    where conversation_id is not null`);
  return new Set([...rows].map((row) => row.conversation_id));
}

const HAS_CALLS = sql`e.payload #> '{expectedOutput,message}' ? 'tool_calls'`;
const HAS_TEXT = sql`coalesce(e.payload #>> '{expectedOutput,message,content}', '') <> ''`;
const HAS_WEIGHT = sql`coalesce((e.payload #>> '{expectedOutput,weight}')::float8, 1) > 0`;

/** An answer in text with a positive weight. */
const IS_ANSWER = sql`not (${HAS_CALLS}) and ${HAS_TEXT} and ${HAS_WEIGHT}`;

/** An answer that a model can be compared with: text, or calls of tools. */
const IS_ANSWERED = sql`(${HAS_CALLS} or ${HAS_TEXT}) and ${HAS_WEIGHT}`;

const PRESERVING = "preserve_successful_behavior";

type Input = {
  datasetId: string;
  version: number;
  checkpointIds: readonly string[];
  limit: number;
  preserveSetOnly: boolean;
};

/**
 * Reads the Examples of the test and validation splits that none of the checkpoints was trained on: neither the Example itself,
 * nor one with the same content, nor one of the same conversation. Test comes first, because the validation split has already
 * been used to select the best checkpoint; within a split the order is arbitrary but stable.
 */
export async function readHeldOut(ctx: Ctx, input: Input): Promise<HeldOut> {
  const { db, projectId } = ctx;
  const { datasetId, version, checkpointIds, limit, preserveSetOnly } = input;
  const candidates = sql`
    with taught as materialized (${taughtExamples(projectId, checkpointIds)}),
    candidates as materialized (
      select e.example_id, e.split, e.conversation_id, e.user_id, e.payload, ${IS_ANSWERED} as is_answered,
        not (
          not exists (select 1 from taught t where t.dataset_id = e.dataset_id and t.example_id = e.example_id)
          and not exists (select 1 from taught t where t.content_hash = e.content_hash)
          and not exists (select 1 from taught t where t.conversation_id = e.conversation_id)
        ) as is_taught
      from example_revisions e
      where e.project_id = ${projectId} and e.dataset_id = ${datasetId} and e.split in ('validation', 'test')
        and e.from_version <= ${version} and coalesce(e.to_version > ${version}, true)
        ${preserveSetOnly ? sql`and e.objective = ${PRESERVING}` : sql``}
    )`;
  const [counts] = await db.execute<Counts>(sql`${candidates}
    select count(*) filter (where is_answered and not is_taught)::int as available,
      count(*) filter (where is_taught)::int as trained_on,
      count(*) filter (where not is_taught and not is_answered)::int as not_text
    from candidates`);
  const rows = await db.execute<Row>(sql`${candidates}
    select example_id, split, conversation_id, user_id, payload #> '{input,messages}' as messages,
      payload #> '{expectedOutput,message}' as answer
    from candidates where is_answered and not is_taught
    order by split = 'validation', md5(example_id), example_id limit ${limit}`);
  return {
    examples: [...rows].map(({ example_id, split, conversation_id, user_id, messages, answer }) => ({
      datasetId,
      exampleId: example_id,
      split,
      conversationId: conversation_id,
      userId: user_id,
      prompt: messages.map(promptOf),
      expected: textOf(answer),
    })),
    available: counts?.available ?? 0,
    trainedOn: counts?.trained_on ?? 0,
    notText: counts?.not_text ?? 0,
  };
}

const textOf = ({ content, tool_calls: calls = [] }: Message) =>
  answerText(
    content ?? "",
    calls.map((call) => call.function),
  );

const promptOf = ({ role, ...message }: Message): PromptMessage => ({
  role: role === "developer" ? "system" : (role as PromptMessage["role"]),
  content: textOf({ role, ...message }),
});

/** Returns whether the version has Examples in the held-out splits that preserve successful behaviour. */
export async function hasPreserveSet(ctx: Ctx, datasetId: string, version: number): Promise<boolean> {
  const [found] = await ctx.db.execute(sql`
    select 1 from example_revisions where project_id = ${ctx.projectId} and dataset_id = ${datasetId}
      and split in ('validation', 'test') and objective = ${PRESERVING}
      and from_version <= ${version} and coalesce(to_version > ${version}, true) limit 1`);
  return found !== undefined;
}

type TurnKey = { conversationId: string; turn: number };

/**
 * Returns what people or a better answer say instead of recorded answers: the expected outputs of current Examples in the test
 * and validation splits of the same conversations and turns, by `conversation turn`.
 */
export async function referencesFor({ db, projectId }: Ctx, turns: readonly TurnKey[]): Promise<Map<string, string>> {
  const rows = await db.execute<{ conversation_id: string; turn: number; expected: string }>(sql`
    select distinct on (e.conversation_id, e.turn) e.conversation_id, e.turn,
      e.payload #>> '{expectedOutput,message,content}' as expected
    from example_revisions e join ${rowsOf(
      turns.map(({ conversationId, turn }) => ({ conversation_id: conversationId, turn })),
      "conversation_id text, turn int",
    )} on t.conversation_id = e.conversation_id and t.turn = e.turn
    where e.project_id = ${projectId} and e.to_version is null and e.split in ('validation', 'test') and ${IS_ANSWER}
      and e.conversation_id = any(${textArray(turns.map(({ conversationId }) => conversationId))})
    order by e.conversation_id, e.turn, e.reviewer_id is null, e.updated_at desc, e.example_id`);
  return new Map([...rows].map((row) => [`${row.conversation_id} ${row.turn}`, row.expected]));
}

/** Returns text answers of a Dataset's version, or of the current Examples of the Datasets that these conversations are in. */
export async function answersLike(
  { db, projectId }: Ctx,
  from: { datasetId: string; version: number } | { conversationIds: readonly string[] },
  limit: number,
): Promise<string[]> {
  const which =
    "datasetId" in from
      ? sql`e.dataset_id = ${from.datasetId} and e.from_version <= ${from.version}
          and coalesce(e.to_version > ${from.version}, true)`
      : sql`e.to_version is null and e.dataset_id in (
          select dataset_id from example_revisions
          where project_id = ${projectId} and to_version is null and conversation_id = any(${textArray(from.conversationIds)}))`;
  const rows = await db.execute<{ answer: string }>(sql`
    select e.payload #>> '{expectedOutput,message,content}' as answer from example_revisions e
    where e.project_id = ${projectId} and ${which} and ${IS_ANSWER}
    order by md5(e.example_id), e.example_id limit ${limit}`);
  return [...rows].map(({ answer }) => answer);
}
