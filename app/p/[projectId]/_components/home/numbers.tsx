import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { Money } from "@/app/_components/values/money";
import { formatCount, formatDuration, formatPercent, formatUsd, plural, UNKNOWN } from "@/app/_lib/format";
import { DAY_MS } from "@/server/platform/durations";
import { Change } from "../../costs/_components/change";
import { conversationsHref, costsHref } from "../../costs/_components/view";
import { AtLeast } from "../costs/cost-total";
import classes from "./home.module.css";
import type { HomeData } from "./words";

type Props = { projectId: string; home: HomeData };

/** Costs and failures of whole days, each with the page that it was counted for. */
export function Numbers({ projectId, home }: Props) {
  const { period, before } = home.conversations;
  const days = Math.round((period.to - period.from) / DAY_MS);
  const title = days === 1 ? "Today" : `Last ${days} full days`;
  return (
    <PageSection title={before === null ? title : `${title}, against the ${days} before`}>
      <p className={classes.quiet}>Whole days in UTC.</p>
      <dl className={classes.numbers}>
        {home.costs === null ? null : <Cost projectId={projectId} costs={home.costs} />}
        <Share projectId={projectId} home={home} title="With Findings" of="withFindings" filter={{ findings: true }} />
        <Share projectId={projectId} home={home} title="With errors" of="withErrors" filter={{ errors: true }} />
        {home.costs === null ? null : <Calls projectId={projectId} home={home} />}
        <ThumbsDown projectId={projectId} home={home} />
        <div>
          <dt>Conversations</dt>
          <dd>
            <Link href={conversationsHref(projectId, period)}>{formatCount(period.conversations)}</Link>
            {period.sampled ? " newest" : ""}
            {before === null || before.sampled || period.sampled ? null : (
              <span className={classes.quiet}> {formatCount(before.conversations)} before</span>
            )}
          </dd>
        </div>
      </dl>
    </PageSection>
  );
}

function Cost({ projectId, costs }: { projectId: string; costs: NonNullable<HomeData["costs"]> }) {
  const { period, before, drivers, month } = costs;
  const driven = drivers
    .map(({ model, cost, before: was }) => ({ model, by: (cost ?? 0) - (was ?? 0) }))
    .filter(({ by }) => by !== 0)
    .map(({ model, by }) => `${model ?? "no model"} ${by > 0 ? "+" : "−"}${formatUsd(Math.abs(by))}`);
  return (
    <>
      <div>
        <dt>Cost</dt>
        <dd>
          <Link href={costsHref(projectId, period)}>
            <AtLeast usd={period.cost} exact={period.exactCost} unpriced={period.unpricedCalls} />
          </Link>
          {period.unpricedCalls > 0 ? (
            <span className={classes.quiet}> without {plural(period.unpricedCalls, "unpriced call")}</span>
          ) : null}
          {before === null ? null : (
            <span className={classes.quiet}>
              {" "}
              <Change now={period} before={before} />
              {driven.length > 0 ? `: ${driven.join(", ")}` : ""}
            </span>
          )}
        </dd>
      </div>
      <div>
        <dt>This month</dt>
        <dd>
          <Link href={costsHref(projectId, month)}>
            <AtLeast usd={month.cost} exact={month.exactCost} unpriced={month.unpricedCalls} />
          </Link>{" "}
          so far
          {month.projection === null ? null : (
            <span className={classes.quiet} title="Each day left costs the mean of its weekday in the last 28 days">
              {" "}
              · ≈ <Money usd={month.projection.cost} /> by its end ({formatUsd(month.projection.low)} to{" "}
              {formatUsd(month.projection.high)})
            </span>
          )}
        </dd>
      </div>
    </>
  );
}

type ShareProps = Props & {
  title: string;
  of: "withFindings" | "withErrors";
  filter: { findings?: boolean; errors?: boolean };
};

function Share({ projectId, home, title, of, filter }: ShareProps) {
  const { period, before } = home.conversations;
  const share = (part: typeof period) => (part.conversations === 0 ? null : part[of] / part.conversations);
  const limits = home.conversations.limits[of];
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <Link href={conversationsHref(projectId, period, filter)}>{plural(period[of], "conversation")}</Link>
        {limits === null ? null : (
          <>
            {" "}
            · {formatPercent(share(period))}{" "}
            <span className={classes.quiet} title="95% interval of the share">
              ({formatPercent(limits.low)} to {formatPercent(limits.high)})
              {before === null ? "" : ` · ${formatPercent(share(before)) || UNKNOWN} before`}
            </span>
          </>
        )}
      </dd>
    </div>
  );
}

/** How model calls went. The costs of the same days have both numbers. */
function Calls({ projectId, home }: Props) {
  const { period, before } = home.calls;
  const share = (part: typeof period) => (part.counted === 0 ? null : part.errors / part.counted);
  const of = `${period.sampled ? "the newest " : ""}${plural(period.counted, "call")}`;
  const href = costsHref(projectId, home.conversations.period);
  return (
    <>
      <div>
        <dt>Calls with errors</dt>
        <dd>
          <Link href={href}>{formatPercent(share(period))}</Link>
          <span className={classes.quiet}>
            {" "}
            of {of}
            {before === null ? "" : ` · ${formatPercent(share(before))} before`}
          </span>
        </dd>
      </div>
      <div>
        <dt>p95 latency</dt>
        <dd>
          <Link href={href}>{formatDuration(period.p95Ms)}</Link>
          <span className={classes.quiet}>
            {" "}
            of {of}
            {before === null ? "" : ` · ${formatDuration(before.p95Ms)} before`}
          </span>
        </dd>
      </div>
    </>
  );
}

/** Thumbs down of the conversations that users rated. */
function ThumbsDown({ projectId, home }: Props) {
  const { period, before } = home.conversations;
  return (
    <div>
      <dt>Thumbs down</dt>
      <dd>
        {period.withFeedback === 0 ? (
          <span className={classes.quiet}>no feedback yet</span>
        ) : (
          <>
            <Link href={conversationsHref(projectId, period, { thumbsDown: true })}>
              {plural(period.withThumbsDown, "conversation")}
            </Link>{" "}
            of{" "}
            <Link href={conversationsHref(projectId, period, { feedback: true })}>
              {formatCount(period.withFeedback)} with feedback
            </Link>
          </>
        )}
        {before === null || before.withFeedback === 0 ? null : (
          <span className={classes.quiet}>
            {" "}
            · {formatCount(before.withThumbsDown)} of {formatCount(before.withFeedback)} before
          </span>
        )}
      </dd>
    </div>
  );
}
