import { type Ctx, hasCapability } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { idsOfMatching } from "@/server/services/telemetry";
import { COMPARED_MAX, compareSides } from "../versions/compare-sides";
import { readFix, startedFix } from "./fix-rows";
import { valuesWithFix } from "./marks";
import { DAYS_BEFORE_FIX, DAYS_SINCE_FIX, type StartedFix, sinceOf } from "./measure-fix";
import { fixEffectsReply, fixIdInput } from "./schemas";

export const fixEffects = verb(
  {
    name: "fixes.effects",
    summary: "Compare what else changed with a fix: other Findings, errors, thumbs down, costs and latency.",
    description: `The newest ${COMPARED_MAX.toLocaleString("en")} conversations of the ${DAYS_BEFORE_FIX[0]} days before it went out, and those with it since, with the verdicts of \`versions.compare\`. Costs only for callers with \`model-pricing:read\`.`,
    effect: "read",
    capability: "diagnostics:read",
    input: fixIdInput,
    reply: fixEffectsReply,
  },
  async (ctx, { fixId }) => {
    const found = await readFix(ctx, fixId);
    const started = startedFix(found);
    if (started === null) return { effects: null };
    const ids = await sidesOf(ctx, started);
    const { rows } = await compareSides(ctx, ids, { without: started.findingId });
    const seesCosts = hasCapability(ctx, ["model-pricing:read"]);
    return {
      effects: {
        before: ids.baseline.length,
        since: ids.compared.length,
        rows: rows.filter(({ kind }) => seesCosts || kind !== "cost"),
      },
    };
  },
);

async function sidesOf(ctx: Ctx, fix: StartedFix) {
  const { mark, startedAt } = fix;
  const since = sinceOf(fix);
  const before = { startedAfter: startedAt - DAYS_BEFORE_FIX[0] * DAY_MS, startedBefore: since };
  const later = { startedAfter: since, startedBefore: startedAt + DAYS_SINCE_FIX * DAY_MS };
  const marked = mark && { [mark.by]: await valuesWithFix(ctx, fix) };
  return {
    baseline: await idsOfMatching(ctx, before, COMPARED_MAX),
    compared: await idsOfMatching(ctx, { ...later, ...marked }, COMPARED_MAX),
  };
}
