"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { FindingTraits } from "@/server/services/diagnostics/findings/schemas";
import finding from "../finding-page.module.css";
import { traitHref, traitWords } from "./trait-words";
import classes from "./traits.module.css";

type Trait = FindingTraits["inCommon"][number];

/** What the affected conversations have in common that others have not. */
export function Traits({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.findings.traits.queryOptions({ projectId, findingId }));
  return (
    <section aria-label="What these have in common">
      <h2 className={finding.heading}>What these have in common</h2>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : data === undefined ? (
        <p className={finding.quiet} role="status">
          Comparing with other conversations…
        </p>
      ) : (
        <Compared projectId={projectId} findingId={findingId} traits={data.traits} />
      )}
    </section>
  );
}

type Props = { projectId: string; findingId: string; traits: FindingTraits };

function Compared({ projectId, findingId, traits: { affected, others, sampled, inCommon, weaker } }: Props) {
  const row = (trait: Trait) => (
    <TraitRow key={`${trait.dimension} ${trait.value}`} trait={trait} href={traitHref(projectId, findingId, trait)} />
  );
  return (
    <>
      <p className={finding.quiet}>
        {plural(affected, "conversation")} compared with {formatCount(others)} {sampled ? "of the newest " : ""}others
        that its Rules checked.
      </p>
      {inCommon.length === 0 ? (
        <p>Nothing stands out: no value is clearly more frequent here than elsewhere.</p>
      ) : (
        <ul className={classes.rows}>{inCommon.map(row)}</ul>
      )}
      {weaker.length === 0 ? null : (
        <>
          <h3 className={classes.weaker}>Weaker</h3>
          <p className={finding.quiet}>More frequent here, but as so many values are compared, chance explains it.</p>
          <ul className={classes.rows}>{weaker.map(row)}</ul>
        </>
      )}
    </>
  );
}

function TraitRow({ trait, href }: { trait: Trait; href: string | null }) {
  const { affected, others } = trait;
  const words = traitWords(trait);
  return (
    <li className={classes.row}>
      <span className={classes.name}>{href === null ? words : <Link href={href}>{words}</Link>}</span>
      <Share rate={affected} what={`${formatCount(affected.affected)} of ${formatCount(affected.conversations)}`} />
      <Share rate={others} what={`${formatPercent(others.interval?.rate)} of the others`} isOther />
    </li>
  );
}

/** A share as a bar with its interval, and in words. */
function Share({ rate: { interval }, what, isOther }: { rate: Trait["affected"]; what: string; isOther?: boolean }) {
  return (
    <span className={classes.share}>
      <span className={classes.track} aria-hidden>
        {interval === null ? null : (
          <>
            <span
              className={classes.fill}
              data-other={isOther || undefined}
              style={{ inlineSize: `${100 * interval.rate}%` }}
            />
            <span
              className={classes.interval}
              style={{
                insetInlineStart: `${100 * interval.low}%`,
                inlineSize: `${100 * (interval.high - interval.low)}%`,
              }}
            />
          </>
        )}
      </span>
      <span className={classes.words}>
        {what}
        {interval === null ? null : (
          <span className={finding.quiet} title="95% interval">
            {" "}
            {formatPercent(interval.low)} to {formatPercent(interval.high)}
          </span>
        )}
      </span>
    </span>
  );
}
