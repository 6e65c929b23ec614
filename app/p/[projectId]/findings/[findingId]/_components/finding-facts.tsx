import { DataList, Text } from "@mantine/core";
import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, formatDay, formatPercent, plural, UNKNOWN } from "@/app/_lib/format";
import { wilson } from "@/app/_lib/rate";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { ruleWords } from "@/app/p/[projectId]/_components/findings/rule-words";
import { ScoreParts } from "@/app/p/[projectId]/_components/findings/score";
import { REASON_WORDS } from "@/server/services/diagnostics/findings/schemas";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import classes from "./finding-page.module.css";

/** With fewer conversations than this, a share means little, whatever its interval. */
const FEW = 30;

export function FindingFacts({ projectId, finding }: { projectId: string; finding: FindingDetail }) {
  const { affected, conversations, since } = finding.share;
  const interval = wilson(affected, conversations);
  return (
    <>
      <section>
        <h2 className={classes.heading}>Share of conversations</h2>
        <div className={classes.big}>{conversations === 0 ? UNKNOWN : formatPercent(affected / conversations)}</div>
        <p className={classes.quiet}>
          {formatCount(affected)} of {plural(conversations, "conversation")}{" "}
          {since > finding.firstDetectedAt ? `since ${formatDay(since)}` : "since it was first seen"}
          {interval ? `; 95% interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : ""}
          {conversations < FEW ? ". Too few to be conclusive." : ""}
        </p>
      </section>
      <section>
        <h2 className={classes.heading}>Facts</h2>
        <DataList size="xs" gap={6} labelWidth={104}>
          <Fact label="Conversations">{formatCount(finding.occurrenceCount)}</Fact>
          <Fact label="Users">{formatCount(finding.userCount)}</Fact>
          <Fact label="Affected cost">
            <CostTotal
              usd={finding.affectedCost}
              unpriced={finding.unpricedCallCount}
              note="known costs of the affected conversations"
            />
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
              {ruleWords(finding.ruleId)}
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
      </section>
    </>
  );
}
