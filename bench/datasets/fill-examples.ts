import { readFileSync } from "node:fs";
import type postgres from "postgres";
import type { Db } from "@/db/client";
import type { ProjectId } from "@/server/platform/context";
import { MINUTE_MS } from "@/server/platform/durations";
import { tokenEstimateOf } from "@/server/services/datasets/chat-payload";
import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { exampleTerms } from "@/server/services/datasets/examples/lists/example-terms";
import { recountFacets } from "@/server/services/datasets/examples/lists/facet-counts";
import { randomOf } from "../lib/random";
import { dropKeys } from "../scale/fill";

/** Marks in the templates that a copy replaces: with a word of its own, one of 20,000 and one of 2,000. */
const MARK = { own: "markown", first: "markfirst", second: "marksecond" } as const;
const TEMPLATES = 500;
/** Number of Examples that a second version edits. */
const EDITED = 100;
/** Rows per statement. */
const CHUNK = 50_000;

/** Words to search the copies for: in nearly all, in one of hundreds, in one of thousands, in exactly one. */
export const WORDS = {
  common: "the",
  second: (n: number) => `topic${n}`,
  first: (n: number) => `item${n}`,
  own: (n: number) => `case${n}`,
} as const;
/** On every third Example, and on one in a thousand. */
export const TAGS = { common: "shop", rare: "escalated" } as const;

const WORD_POOL = readFileSync(new URL("../../README.md", import.meta.url), "utf8").match(/\p{L}+/gu) ?? ["word"];

function templates() {
  const random = randomOf(7);
  // Squared, so that some words are in nearly every text and most are rare.
  const word = () => WORD_POOL[Math.floor(random() ** 2 * WORD_POOL.length)];
  const text = (words: number) => Array.from({ length: words }, word).join(" ");
  return Array.from({ length: TEMPLATES }, (_, template) => {
    const payload: ChatPayload = {
      input: {
        type: "chat",
        messages: [
          { role: "system", content: "You answer the questions of customers." },
          { role: "user", content: `${MARK.own}: ${text(20)} ${MARK.first} ${MARK.second}?` },
        ],
      },
      expectedOutput: { type: "chat_message", message: { role: "assistant", content: text(20 + (template % 80)) } },
    };
    return {
      template,
      payload: JSON.stringify(payload),
      terms: exampleTerms(payload, {}),
      tokens: tokenEstimateOf(payload),
    };
  });
}

type Filled = { projectId: string; datasetId: string; examples: number };

/**
 * Fills Datasets with copies of templates that the product's own code indexed: all of them in version 1, and the newest 100
 * again in version 2. Numbering is the same in each Dataset, so that Datasets of two sizes contain the same words.
 */
export async function fillExamples(
  sql: postgres.Sql,
  db: Db,
  datasets: readonly Filled[],
  progress: (line: string) => void,
  now = Date.now(),
) {
  await sql`create schema bench_examples`;
  await sql`create table bench_examples.templates as
    select * from jsonb_to_recordset(${sql.json(templates())}) as t(template int, payload text, terms text[], tokens int)`;
  const keys = await dropKeys(sql, ["example_revisions"]);
  // The trigger maintains an index that `dropKeys` has dropped.
  await sql`alter table example_revisions disable trigger example_revisions_indexed`;
  for (const { projectId, datasetId, examples } of datasets) {
    await sql`
      insert into datasets (project_id, id, name, example_count, version, last_ordinal, actor_kind, created_at)
      values (${projectId}, ${datasetId}, ${`${examples} Examples`}, ${examples}, 2, ${examples}, 'operator', ${now - examples * MINUTE_MS})`;
    await sql`
      insert into dataset_versions (project_id, dataset_id, number, kind, cause_id, added, changed, example_count, actor_kind, closed_at)
      values (${projectId}, ${datasetId}, 1, 'import', 'imp_bench', ${examples}, 0, ${examples}, 'operator', ${now}),
        (${projectId}, ${datasetId}, 2, 'edit', null, 0, ${EDITED}, ${examples}, 'operator', ${now})`;
    for (let from = 1; from <= examples; from += CHUNK) {
      const to = Math.min(examples, from + CHUNK - 1);
      await sql.unsafe(copies({ projectId, datasetId, from, to, newest: examples, now }));
      progress(`${to.toLocaleString("en")} of ${examples.toLocaleString("en")} Examples`);
    }
    await sql`
      insert into example_revisions
      select (e).* from (
        select jsonb_populate_record(r, jsonb_build_object('from_version', 2, 'to_version', null, 'split', 'test',
          'content_hash', encode(sha256(('edited ' || r.content_hash)::bytea), 'hex'),
          'terms', to_jsonb(array_replace(r.terms, 'split:' || r.split, 'split:test')))) as e
        from example_revisions r where project_id = ${projectId} and dataset_id = ${datasetId} and to_version = 2
      ) edited`;
  }
  for (const { what, statement } of keys) {
    const begun = performance.now();
    await sql.unsafe(statement);
    progress(`${what}, ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  await sql`alter table example_revisions enable trigger example_revisions_indexed`;
  await sql`drop schema bench_examples cascade`;
  for (const { projectId, datasetId } of datasets) {
    await recountFacets({ db, projectId: projectId as ProjectId, actor: { kind: "operator" } }, datasetId);
  }
  await sql`vacuum analyze`;
}

const replaced = (from: string, replace: (mark: string, by: string) => string) =>
  [`'${MARK.own}', c.own`, `'${MARK.first}', c.first`, `'${MARK.second}', c.second`].reduce((text, marks) => {
    const [mark, by] = marks.split(", ") as [string, string];
    return replace(mark, by).replace("$", text);
  }, from);

type Range = { projectId: string; datasetId: string; from: number; to: number; newest: number; now: number };

const copies = ({ projectId, datasetId, from, to, newest, now }: Range) => `
  insert into example_revisions (project_id, dataset_id, example_id, from_version, to_version, ordinal, payload, tags, split,
    source_kind, external_ref, content_hash, tokens, terms, actor_kind, created_at, updated_at)
  select '${projectId}', '${datasetId}', c.id, 1, case when n > ${newest - EDITED} then 2 end, n,
    ${replaced("t.payload", (mark, by) => `replace($, ${mark}, ${by})`)}::jsonb, c.tags, c.split, c.source, 'row-' || n,
    encode(sha256(('${datasetId} ' || n)::bytea), 'hex'), t.tokens,
    ${replaced("t.terms", (mark, by) => `array_replace($, ${mark}, ${by})`)} || array['split:' || c.split, 'source:' || c.source]
      || array(select 'tag:' || tag from unnest(c.tags) tag),
    'operator', c.at, c.at
  from (
    select n, ${now - newest * MINUTE_MS}::bigint + n * ${MINUTE_MS}::bigint as at,
      'ex_' || lpad(to_hex(${now - newest * MINUTE_MS}::bigint + n * ${MINUTE_MS}::bigint), 12, '0') || '7' || substr(md5('${datasetId}' || n), 1, 19) as id,
      'case' || n as own, 'item' || n % 20000 as first, 'topic' || n % 2000 as second,
      case when n % 10 = 0 then 'test' when n % 10 = 1 then 'validation' else 'train' end as split,
      case when n % 5 = 0 then 'manual' else 'import' end as source,
      case when n % 1000 = 0 then array['${TAGS.common}', '${TAGS.rare}'] when n % 3 = 0 then array['${TAGS.common}'] else array[]::text[] end as tags
    from generate_series(${from}::bigint, ${to}::bigint) n
  ) c join bench_examples.templates t on t.template = c.n % ${TEMPLATES}`;
