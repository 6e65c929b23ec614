import postgres from "postgres";
import type { Measured } from "./measure";

/** Explained calls per statement of each read. */
const EXAMPLES = 3;

type Node = {
  "Node Type": string;
  "Index Name"?: string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: Node[];
};
type Explained = { Plan: Node & Record<string, number>; "Execution Time": number; "Planning Time": number };

export type Plan = { shape: string; rows: number; hit: number; read: number; ms: number };
export type Hot = { query: string; reads: string[]; totalMs: number; custom: Plan; generic: Plan };

/**
 * Returns the statements on which the server spent the most time when every read is called equally often, each with its
 * custom and its generic plan.
 */
export async function hottest(url: string, measured: readonly Measured[], count: number): Promise<Hot[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const byQuery = new Map<string, Hot>();
    for (const { read, queries } of measured.filter(({ read }) => !read.payload)) {
      // Others, such as a time limit, have no plan.
      const planned = queries.filter(({ query }) => /^\s*(select|with)\b/i.test(query));
      for (const [query, examples] of byText(planned)) {
        const callsEach = examples.length / new Set(queries.map(({ call }) => call)).size;
        const some = spread(examples, EXAMPLES);
        const plans: Explained[] = [];
        for (const { params } of some) plans.push(await explain(sql, query, params));
        const ms = plans.reduce((sum, plan) => sum + plan["Execution Time"] + plan["Planning Time"], 0) / plans.length;
        const slowest = plans.indexOf(plans.reduce((a, b) => (b["Execution Time"] > a["Execution Time"] ? b : a)));
        const before = byQuery.get(query);
        const custom = planOf(plans[slowest]!);
        if (before && before.custom.ms >= custom.ms) {
          before.totalMs += ms * callsEach;
          before.reads.push(read.name);
          continue;
        }
        const generic = planOf(await explainGeneric(sql, query, some[slowest]!.params));
        byQuery.set(query, {
          query,
          reads: [...(before?.reads ?? []), read.name],
          totalMs: (before?.totalMs ?? 0) + ms * callsEach,
          custom,
          generic,
        });
      }
    }
    return [...byQuery.values()].sort((a, b) => b.totalMs - a.totalMs).slice(0, count);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function byText<T extends { query: string }>(queries: readonly T[]) {
  const groups = new Map<string, T[]>();
  for (const one of queries) groups.set(one.query, [...(groups.get(one.query) ?? []), one]);
  return groups;
}

const spread = <T>(all: readonly T[], count: number): T[] =>
  all.filter((_, index) => index % Math.max(1, Math.floor(all.length / count)) === 0).slice(0, count);

const OPTIONS = "analyze, buffers, timing off, format json";

/** Reports the second execution: the first loads the pages. */
async function explain(sql: postgres.Sql, query: string, params: unknown[]): Promise<Explained> {
  const run = () => sql.unsafe(`explain (${OPTIONS}) ${query}`, params as never[]);
  await run();
  return (await run())[0]!["QUERY PLAN"][0];
}

async function explainGeneric(sql: postgres.Sql, query: string, params: unknown[]): Promise<Explained> {
  const values = params.length === 0 ? "" : `(${params.map(literal).join(", ")})`;
  await sql`set plan_cache_mode = force_generic_plan`;
  await sql.unsafe(`prepare measured_query as ${query}`);
  try {
    await sql.unsafe(`explain (${OPTIONS}) execute measured_query${values}`);
    return (await sql.unsafe(`explain (${OPTIONS}) execute measured_query${values}`))[0]!["QUERY PLAN"][0];
  } finally {
    await sql`deallocate measured_query`;
    await sql`reset plan_cache_mode`;
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (!Array.isArray(value)) return quoted(String(value));
  return quoted(`{${value.map((item) => `"${String(item).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`);
}

function planOf({ Plan: plan, ...times }: Explained): Plan {
  return {
    shape: shapeOf(plan),
    rows: plan["Actual Rows"],
    hit: plan["Shared Hit Blocks"] ?? 0,
    read: plan["Shared Read Blocks"] ?? 0,
    ms: times["Planning Time"] + times["Execution Time"],
  };
}

/** Summarizes a plan's accesses to tables and indexes, with loops and rows. */
function shapeOf(plan: Node): string {
  const found = new Map<string, { loops: number; rows: number }>();
  const walk = (node: Node) => {
    const from = node["Index Name"] ?? node["Relation Name"];
    if (from && node["Node Type"] !== "Bitmap Heap Scan") {
      const name = node["Index Name"] ? from : `${from} (whole)`;
      const before = found.get(name) ?? { loops: 0, rows: 0 };
      found.set(name, {
        loops: before.loops + node["Actual Loops"],
        rows: before.rows + node["Actual Loops"] * node["Actual Rows"],
      });
    }
    for (const child of node.Plans ?? []) walk(child);
  };
  walk(plan);
  return [...found]
    .filter(([, { loops }]) => loops > 0)
    .map(([name, { loops, rows }]) => `${name} → ${Math.round(rows)}${loops > 1 ? ` in ${loops}` : ""}`)
    .join("; ");
}
