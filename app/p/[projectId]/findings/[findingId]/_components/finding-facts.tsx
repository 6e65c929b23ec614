import { DataList, Text } from "@mantine/core";
import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, formatDay, formatPercent, plural, UNKNOWN } from "@/app/_lib/format";
import { wilson } from "@/app/_lib/rate";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { RuleName } from "@/app/p/[projectId]/_components/findings/rule-name";
import { ScoreParts } from "@/app/p/[projectId]/_components/findings/score";
import { findingHref } from "@/app/p/[projectId]/conversations/_components/view";
import { DAY_MS } from "@/server/platform/durations";
import { REASON_WORDS } from "@/server/services/diagnostics/findings/schemas";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import classes from "./finding-page.module.css";

/** With fewer conversations than this, a share means little, whatever its interval. */
const FEW = 30;

/** The `id` of the list of affected conversations on this page. */
export const OCCURRENCES_ID = "affected";
const RECENT_DAYS = 14;

/** A count of affected conversations, which leads to their list. */
const Counted = ({ what }: { what: string }) => <a href={`#${OCCURRENCES_ID}`}>{what}</a>;

/** Returns the start of the window in which the Finding's recent conversations were last counted. */
const recentSince = ({ updatedAt }: FindingDetail) => updatedAt - RECENT_DAYS * DAY_MS;

export function FindingFacts({ projectId, finding }: { projectId: string; finding: FindingDetail }) {
  const { affected, conversations, since } = finding.share;
  const list = findingHref(projectId, finding.id);
  const interval = wilson(affected, conversations);
  return (
    <>
      <section>
        <h2 className={classes.heading}>Share of conversations</h2>
        <div className={classes.big}>{conversations === 0 ? UNKNOWN : formatPercent(affected / conversations)}</div>
        <p className={classes.quiet}>
          <Counted what={formatCount(affected)} /> of {plural(conversations, "conversation")}{" "}
          {since > finding.firstDetectedAt ? `since ${formatDay(since)}` : "since it was first seen"}
          {interval ? `; 95% interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : ""}
          {conversations < FEW ? ". Too few to be conclusive." : ""}
        </p>
      </section>
      <section>
        <h2 className={classes.heading}>Facts</h2>
        <DataList size="xs" gap={6} labelWidth={104}>
          <Fact label="Conversations">
            <Link href={list}>{formatCount(finding.occurrenceCount)}</Link>
          </Fact>
          <Fact label="Users">{formatCount(finding.userCount)}</Fact>
          <Fact label="Affected cost">
            <Link href={list} title="The sum of the costs of the affected conversations">
              <CostTotal
                usd={finding.affectedCost}
                unpriced={finding.unpricedCallCount}
                note="known costs of the affected conversations"
              />
            </Link>
            {finding.recountDueAt === null ? null : (
              <Text size="xs" c="dimmed">
                Some conversations have changed since; users, cost and score update within minutes.
              </Text>
            )}
          </Fact>
          <Fact label="First seen">
            <Ago at={finding.firstDetectedAt} />
          </Fact>
          <Fact label="Last seen">
            <Ago at={finding.lastDetectedAt} />
          </Fact>
          {finding.dismissedAt === null ? null : (
            <Fact label="Dismissed">
              {finding.dismissalReason === null ? "" : `As ${REASON_WORDS[finding.dismissalReason]}, `}
              {finding.dismissedUntilWorse ? "Until it gets worse, " : ""}
              <Ago at={finding.dismissedAt} />
            </Fact>
          )}
          {finding.resolvedAt === null ? null : (
            <Fact label="Resolved">
              <Ago at={finding.resolvedAt} />
            </Fact>
          )}
          {finding.regressedAt === null ? null : (
            <Fact label="Came back">
              <Ago at={finding.regressedAt} />
            </Fact>
          )}
          <Fact label="Rule">
            <Link href={`/p/${projectId}/rules/${encodeURIComponent(finding.ruleId)}`}>
              <RuleName ruleId={finding.ruleId} />
            </Link>
          </Fact>
          <Fact label="Signal" mono>
            {finding.signal}
          </Fact>
          <Fact label="ID">
            <IdText id={finding.id} />
          </Fact>
        </DataList>
      </section>
      <section>
        <h2 className={classes.heading}>Score</h2>
        <ScoreParts finding={finding} />
        <p className={classes.quiet}>
          Counted among the{" "}
          <Link href={`/p/${projectId}/conversations?range=custom&from=${recentSince(finding)}`}>
            {plural(finding.recentShare.conversations, "conversation")} of 14 days
          </Link>{" "}
          that its Rule read. Reviews of this Signal: see its{" "}
          <Link href={`/p/${projectId}/rules/${encodeURIComponent(finding.ruleId)}`}>Rule</Link>.
        </p>
      </section>
    </>
  );
}
