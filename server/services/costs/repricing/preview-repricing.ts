import { DAY_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { currentPriceRevision, priceBookAtRevision } from "@/server/services/pricing";
import { estimateCallCount } from "../daily-costs";
import { pricesVersionOf } from "../prices-version";
import { type Cursor, cursorOf, readCalls } from "../read-calls";
import { requireRange } from "../require-range";
import { previewRepricingInput, type RepricingPreview, repricingPreviewReply } from "../schemas";
import { Comparison, planCall } from "./plan-repricing";

/** Bounds a preview to about what a person is willing to wait for. */
const CALLS_MAX = 50_000;
const PAGE = 5_000;
const ROWS_MAX = 500;

export const previewRepricing = verb(
  {
    name: "repricings.preview",
    summary: "Preview how current prices would change stored costs, by model and day.",
    description: `Exact for the newest ${CALLS_MAX.toLocaleString("en")} calls of the range; \`complete\` is \`false\` if there are more. Unknown costs are \`null\` and counted separately.`,
    effect: "read",
    capability: "model-pricing:read",
    input: previewRepricingInput,
    reply: repricingPreviewReply,
  },
  async (ctx, { model: named, ...input }) => {
    requireRange(input);
    const prices = await currentPriceRevision(ctx);
    const book = await priceBookAtRevision(ctx, prices);
    if (!book) throw new Error(`The catalogue in effect, ${prices.catalogue}, does not exist in this installation.`);
    const which = { from: input.from, to: input.to, model: named ?? null };
    const total = new Comparison();
    const groups = new Map<string, { day: number; model: string | null; sums: Comparison }>();
    let after: Cursor | null = null;
    let read = 0;
    let last = PAGE;
    while (last === PAGE && read < CALLS_MAX) {
      const calls = await readCalls(ctx, which, { after, limit: PAGE, direction: "newestFirst" });
      last = calls.length;
      read += last;
      for (const call of calls) {
        after = cursorOf(call);
        const plan = planCall(book, input, call);
        if (!plan) continue;
        total.add(plan);
        if (!plan.changes) continue;
        const day = Math.floor(call.startedAt / DAY_MS) * DAY_MS;
        const model = call.responseModel || call.requestedModel;
        const key = `${day} ${model}`;
        const group = groups.get(key) ?? { day, model, sums: new Comparison() };
        groups.set(key, group);
        group.sums.add(plan);
      }
    }
    const rows = [...groups.values()].map(({ day, model, sums }) => ({ day, model, ...sums.shown() }));
    const shown = largest(rows);
    return {
      preview: {
        total: { calls: total.calls, ...total.shown() },
        rows: shown.sort((a, b) => b.day - a.day || ((a.model ?? "") < (b.model ?? "") ? -1 : 1)),
        rowsLeftOut: rows.length - shown.length,
        complete: last < PAGE,
        callsExpected: await estimateCallCount(ctx, which),
        pricesVersion: pricesVersionOf(prices),
      },
    };
  },
);

type Row = RepricingPreview["rows"][number];

/** Ranks rows in which costs become known or unknown before any difference. */
const weight = ({ difference, unknownBefore, unknownAfter }: Row) =>
  unknownBefore === unknownAfter ? Math.abs(difference ?? 0) : Number.POSITIVE_INFINITY;
const largest = (rows: readonly Row[]) =>
  rows.length <= ROWS_MAX ? [...rows] : [...rows].sort((a, b) => compare(weight(b), weight(a))).slice(0, ROWS_MAX);
const compare = (a: number, b: number) => (a === b ? 0 : a - b);
