import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural } from "@/app/_lib/format";
import { readingWords } from "@/server/services/notifications/alerts/schemas";
import { alertHref } from "../../alerts/_components/view";
import { findingHref } from "../../conversations/_components/view";
import { TrendBars } from "../../findings/_components/trend-bars";
import { Severity } from "../findings/severity";
import { fixHref } from "../fixes/hrefs";
import { pageHref } from "../shell/pages";
import classes from "./home.module.css";
import { Lines } from "./lines";
import { type HomeData, waitingIn } from "./words";

type Props = { projectId: string; home: HomeData };
type Urgent = HomeData["findings"]["urgent"][number];

const TREND_WORDS: Record<Urgent["trend"], string> = {
  escalating: "Escalating",
  regressed: "Regressed",
  new: "New",
  ongoing: "To review",
};

/** What is open, however old it is, worst first. */
export function NeedsYou({ projectId, home }: Props) {
  const waiting = waitingIn(projectId, home);
  const tickets = home.closedTickets.newest;
  const proofs = home.work?.evaluations.newest ?? [];
  const fixes = home.fixes.judged.newest;
  const isNothing = waiting.length + tickets.length + proofs.length + fixes.length + home.alerts.count === 0;
  return (
    <PageSection title="Needs you" anchor="needs-you" wide>
      {isNothing ? <p className={classes.quiet}>Nothing waits for you.</p> : null}
      <FiringAlerts projectId={projectId} firing={home.alerts} />
      <ul className={classes.rows}>
        {home.findings.urgent.map((finding) => (
          <UrgentFinding key={finding.id} projectId={projectId} finding={finding} />
        ))}
      </ul>
      <Lines items={waiting} label="What waits" />
      <ul className={classes.plain}>
        {tickets.map(({ findingId, findingTitle, key, url }) => (
          <li key={`${findingId} ${key}`}>
            <a href={url} rel="noreferrer">
              {key}
            </a>{" "}
            is closed, its Finding is open:{" "}
            <Link href={`${pageHref(projectId, "findings")}/${encodeURIComponent(findingId)}`}>
              <InlineCode text={findingTitle} />
            </Link>
          </li>
        ))}
        {fixes.map((fix) => (
          <li key={fix.id}>
            <Link href={fixHref(projectId, fix.id)}>A fix</Link> is {VERDICTS[fix.verdict]} for{" "}
            <InlineCode text={fix.findingTitle} />
          </li>
        ))}
        {proofs.map((proof) => (
          <li key={proof.id}>
            <Ended projectId={projectId} proof={proof} />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

/** What fires now: the newest alerts, and the list of all if there are more. */
function FiringAlerts({ projectId, firing }: { projectId: string; firing: HomeData["alerts"] }) {
  if (firing.count === 0) return null;
  const others = firing.count - firing.newest.length;
  return (
    <ul className={classes.plain} aria-label="Firing alerts">
      {firing.newest.map((alert) => (
        <li key={alert.id}>
          <Dot color="var(--severity-critical)">Firing</Dot>{" "}
          <Link href={alertHref(projectId, alert.id)}>{alert.name}</Link>:{" "}
          {readingWords({ ...alert, state: "firing", minCount: 0 })}, since <Ago at={alert.firedAt} />
        </li>
      ))}
      {others > 0 ? (
        <li>
          <Link href={pageHref(projectId, "alerts")}>{plural(others, "more alert")} firing</Link>
        </li>
      ) : null}
    </ul>
  );
}

function UrgentFinding({ projectId, finding }: { projectId: string; finding: Urgent }) {
  return (
    <li className={classes.urgent}>
      <Severity value={finding.severity} />
      <Link
        className={classes.title}
        href={`${pageHref(projectId, "findings")}/${encodeURIComponent(finding.id)}`}
        title={finding.title.replaceAll("`", "")}
      >
        <InlineCode text={finding.title} />
      </Link>
      <span className={classes.trend}>{TREND_WORDS[finding.trend]}</span>
      <span className={classes.bars}>
        <TrendBars days={finding.recentDays} />
      </span>
      <Link className={classes.count} href={findingHref(projectId, finding.id)}>
        {plural(finding.occurrenceCount, "conversation")}
      </Link>
    </li>
  );
}

type Proof = NonNullable<HomeData["work"]>["evaluations"]["newest"][number];
const VERDICTS = {
  proven: "proven",
  not_proven: "not proven",
  not_enough: "not enough yet",
  regressed: "regressed",
} as const;

function Ended({ projectId, proof }: { projectId: string; proof: Proof }) {
  const { id, status, verdict, findingTitle } = proof;
  const result = status === "failed" ? "failed" : verdict === null ? "has ended" : `ended: ${VERDICTS[verdict]}`;
  return (
    <>
      <Link href={`${pageHref(projectId, "evaluations")}/${encodeURIComponent(id)}`}>
        {findingTitle === null ? "A comparison" : "A proof"}
      </Link>{" "}
      {result}
      {findingTitle === null ? null : (
        <>
          {" "}
          for <InlineCode text={findingTitle} />
        </>
      )}
    </>
  );
}
