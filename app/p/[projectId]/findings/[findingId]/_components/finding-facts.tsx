import { DataList } from "@mantine/core";
import Link from "next/link";
import { Ago } from "@/app/_components/ago";
import { IdText } from "@/app/_components/id-text";
import { Money } from "@/app/_components/money";
import { ScoreParts } from "@/app/_components/score";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import { wilson } from "@/app/_lib/rate";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import classes from "./finding-page.module.css";

export function FindingFacts({ projectId, finding }: { projectId: string; finding: FindingDetail }) {
  const { affected, conversations } = finding.share;
  const interval = wilson(affected, conversations);
  const facts: [string, React.ReactNode][] = [
    ["Conversations", formatCount(finding.occurrenceCount)],
    ["Users", formatCount(finding.userCount)],
    ["Their cost", <Money key="cost" usd={finding.affectedCost} note="known costs of the affected conversations" />],
    ["First seen", <Ago key="first" at={finding.firstDetectedAt} />],
    ["Last seen", <Ago key="last" at={finding.lastDetectedAt} />],
    ["Rule", <Link key="rule" className="mono" href={`/p/${projectId}/findings?tab=all&rule=${encodeURIComponent(finding.ruleId)}`}>{finding.ruleId}</Link>],
    ["Signal", <span key="signal" className="mono">{finding.signal}</span>],
    ...(finding.resolvedAt === null ? [] : [["Resolved", <Ago key="resolved" at={finding.resolvedAt} />] as [string, React.ReactNode]]),
    ...(finding.regressedAt === null ? [] : [["Came back", <Ago key="regressed" at={finding.regressedAt} />] as [string, React.ReactNode]]),
    ["Id", <IdText key="id" id={finding.id} />],
  ];
  return (
    <>
      <section>
        <h2 className={classes.heading}>Share of conversations</h2>
        <div className={classes.big}>{conversations === 0 ? "—" : formatPercent(affected / conversations)}</div>
        <p className={classes.quiet}>
          {formatCount(affected)} of {plural(conversations, "conversation")} since it was first seen
          {interval ? `; 95% interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : ""}
          {conversations < 30 ? ". Too few to say much." : ""}
        </p>
      </section>
      <section>
        <h2 className={classes.heading}>Facts</h2>
        <DataList size="xs" gap={6} labelWidth={104}>
          {facts.map(([label, value]) => (
            <DataList.Item key={label}>
              <DataList.ItemLabel>{label}</DataList.ItemLabel>
              <DataList.ItemValue className="tabular" miw={0}>
                {value}
              </DataList.ItemValue>
            </DataList.Item>
          ))}
        </DataList>
      </section>
      <section>
        <h2 className={classes.heading}>Score</h2>
        <ScoreParts finding={finding} />
      </section>
    </>
  );
}
