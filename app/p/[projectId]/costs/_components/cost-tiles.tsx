import Link from "next/link";
import { Money } from "@/app/_components/values/money";
import { formatCount, formatDay, formatDuration, formatPercent, plural } from "@/app/_lib/format";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { Costs } from "@/server/services/costs/schemas";
import { pageHref } from "../../_components/shell/pages";
import { Change } from "./change";
import classes from "./costs.module.css";

type TileProps = { label: string; value: React.ReactNode; children: React.ReactNode };

const Tile = ({ label, value, children }: TileProps) => (
  <section className={classes.tile} aria-label={label}>
    <div className={classes.label}>{label}</div>
    <div className={classes.sum}>{value}</div>
    <div className={classes.under}>{children}</div>
  </section>
);

/** The sums of everything shown. Unpriced calls are counted but add nothing. */
export function CostTiles({
  projectId,
  costs,
  before,
}: {
  projectId: string;
  costs: Costs;
  before: Costs | undefined;
}) {
  const { from, to, days, total, newestCalls: newest } = costs;
  const priced = total.calls - total.unpricedCalls;
  return (
    <div className={classes.tiles}>
      <Tile label="Cost" value={<AtLeast usd={total.cost} exact={total.exactCost} unpriced={total.unpricedCalls} />}>
        {total.cost === null ? "No call has a known cost. " : ""}
        {plural(days.length, "day")} (UTC), {formatDay(from, to - 1)} – {formatDay(to - 1, 0)}
        <div>
          {before?.total.calls === 0 ? (
            `no calls in the previous ${plural(days.length, "day")}`
          ) : (
            <>
              <Change now={total} before={before?.total} /> from the previous {plural(days.length, "day")}
            </>
          )}
        </div>
      </Tile>
      <Tile label="Priced calls" value={formatCount(priced)}>
        of {plural(total.calls, "model call")} ({formatPercent(priced / total.calls)})
      </Tile>
      <Tile label="Unpriced calls" value={formatCount(total.unpricedCalls)}>
        {total.unpricedCalls === 0 ? (
          "Every call has a price."
        ) : (
          <>
            Not included in the total. <Link href={pageHref(projectId, "prices")}>Which models have no price</Link>
          </>
        )}
      </Tile>
      <Tile label="Average" value={<Money usd={priced > 0 ? (total.cost ?? 0) / priced : null} />}>
        per priced call
      </Tile>
      <Tile
        label="Calls with errors"
        value={formatPercent(newest.counted === 0 ? null : newest.errors / newest.counted)}
      >
        {formatCount(newest.errors)} of {newest.sampled ? "the newest " : ""}
        {plural(newest.counted, "model call")}
      </Tile>
      <Tile label="p95 latency" value={formatDuration(newest.p95Ms)}>
        95 of 100 {newest.sampled ? `of the newest ${formatCount(newest.counted)} ` : ""}calls took at most this long
      </Tile>
    </div>
  );
}
