import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { wilson } from "@/server/services/diagnostics";
import { callRows } from "./call-rows";
import { conversationRows, occurrenceRows, readingRows } from "./conversation-rows";
import { type Cell, type Cells, readCells } from "./read-cells";
import type { ChartQuery, ChartRows } from "./rows";
import { type Chart, type ChartPoint, chartReply, queryChartInput } from "./schemas";
import { wholeSteps } from "./steps";
import { MEASURES, type MeasureFacts, POINTS_MAX, SERIES_MAX } from "./types";

const ROWS: Record<MeasureFacts["of"], (ctx: Ctx, query: ChartQuery) => ChartRows | Promise<ChartRows>> = {
  calls: callRows,
  conversations: conversationRows,
  readings: readingRows,
  occurrences: occurrenceRows,
};

export const queryChart = verb(
  {
    name: "charts.query",
    summary: "Read a measure over time, by group, of what matches the filters of the list of conversations.",
    description: `Numbers are those of the lists and pages: costs and calls by the time of the call, as on Costs; conversations by their start, as in the list; shares of a Finding by last activity, as on its timeline. The filters select conversations; if calls are measured, \`model\` and \`provider\` select the calls themselves. At most ${POINTS_MAX} steps and ${SERIES_MAX} series, those with the most, and one more for the others. Costs, tokens and calls by day or week are exact however many there are, if nothing but model, provider, label or user matters; otherwise the newest 100,000 calls or conversations of the range are read (50,000 for shares of Findings and Signals, 20,000 for a search), and \`countedFrom\` says from when on: earlier steps are unknown, not 0. \`cost\` also requires \`model-pricing:read\`, and what is of Findings \`diagnostics:read\`.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: queryChartInput,
    reply: chartReply,
  },
  async (ctx, { measure, ofFinding, ofSignal, group, from, to, step, ...filters }) => {
    if (measure === "cost") requireCapability(ctx, ["model-pricing:read"]);
    const { of, unit } = MEASURES[measure];
    if (group === "finding" && (of !== "occurrences" || ofFinding !== undefined))
      throw unprocessable("/group", "Only the occurrences of all Findings are grouped by Finding.");
    const { at, ...range } = wholeSteps({ from, to }, step);
    const rows = await ROWS[of](ctx, {
      measure,
      findingId: ofFinding,
      signal: ofSignal,
      group,
      step,
      filters,
      ...range,
    });
    const cells = await readCells(ctx, rows, { measure, step, isGrouped: group !== undefined });
    const names = group === "finding" ? await titlesOf(ctx, cells.keys) : new Map<string, string>();
    const seriesOf = seriesFor(MEASURES[measure], cells, at);
    const own = cells.keys.map((key) => ({
      key: key || null,
      name: names.get(key) ?? null,
      others: false,
      ...seriesOf(true, key),
    }));
    const { points: totals, total } = seriesOf(false, null);
    const series: Chart["series"] =
      cells.others === 0 ? own : [...own, { key: null, name: null, others: true, ...seriesOf(true, null) }];
    return {
      chart: {
        measure,
        group: group ?? null,
        step,
        unit,
        ...range,
        at,
        totals,
        total,
        series,
        groupsInOthers: cells.others,
        countedFrom: cells.countedFrom,
      },
    };
  },
);

/** Returns a function that reads one series from the cells. */
function seriesFor(facts: MeasureFacts, { cells, countedFrom }: Cells, at: readonly number[]) {
  const nameOf = (grouped: boolean, key: string | null, time: number | null) => JSON.stringify([grouped, key, time]);
  const found = new Map(cells.map((cell) => [nameOf(cell.grouped, cell.key, cell.at), cell]));
  return (grouped: boolean, key: string | null) => ({
    points: at.map((time) =>
      countedFrom !== null && time < countedFrom ? UNCOUNTED : pointOf(facts, found.get(nameOf(grouped, key, time))),
    ),
    total: pointOf(facts, found.get(nameOf(grouped, key, null))),
  });
}

const UNCOUNTED: ChartPoint = { value: null, exact: null, n: null, unpricedCalls: null, low: null, high: null };

function pointOf({ unit, by }: MeasureFacts, cell: Cell | undefined): ChartPoint {
  const n = cell?.n ?? 0;
  const point = { ...UNCOUNTED, n, unpricedCalls: unit === "usd" ? (cell?.unknown ?? 0) : null };
  if (by === "count") return { ...point, value: n };
  if (!cell || n === 0) return point;
  if (by === "share") {
    const { rate, low, high } = wilson({ affected: cell.hits, conversations: n })!;
    return { ...point, value: rate, low, high };
  }
  const value = cell.value === null ? null : Number(cell.value);
  return { ...point, value, exact: unit === "usd" ? cell.value : null };
}

async function titlesOf({ db, projectId }: Ctx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.execute<{ id: string; title: string }>(
    sql`select id, title from findings where project_id = ${projectId} and id = any(${textArray(ids)})`,
  );
  return new Map([...rows].map(({ id, title }) => [id, title]));
}
