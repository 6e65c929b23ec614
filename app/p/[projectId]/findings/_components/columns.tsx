import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import { InlineCode } from "@/app/_components/values/inline-code";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { FindingState } from "@/app/p/[projectId]/_components/findings/finding-state";
import { RuleName } from "@/app/p/[projectId]/_components/findings/rule-name";
import { Score } from "@/app/p/[projectId]/_components/findings/score";
import { Severity } from "@/app/p/[projectId]/_components/findings/severity";
import { ticketOfRef } from "@/app/p/[projectId]/_components/work-items/tracker-words";
import type { Finding } from "@/server/services/diagnostics/schemas";
import classes from "./findings.module.css";
import { NewMark } from "./last-visit";
import { TrendBars } from "./trend-bars";

export const COLUMNS: ListColumn<Finding>[] = [
  {
    id: "severity",
    header: "Severity",
    meta: { width: "5.75rem", roomy: true },
    cell: ({ row }) => <Severity value={row.original.severity} />,
  },
  {
    id: "title",
    header: "Finding",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <span className={classes.titleLine} title={original.title.replaceAll("`", "")}>
          <InlineCode text={original.title} />
        </span>
        <span className={classes.under}>
          <span className={classes.onPhone}>
            <Severity value={original.severity} />
          </span>
          <NewMark at={original.createdAt} />
          <RuleName ruleId={original.ruleId} /> · <span className="mono">{original.signal}</span> ·{" "}
          <InlineCode text={original.summary} />
        </span>
      </>
    ),
  },
  {
    id: "state",
    header: "State",
    meta: { aside: true, roomy: true, width: "6.5rem" },
    cell: ({ row: { original } }) => (
      <>
        <FindingState finding={original} />
        {original.assigneeId === null ? null : (
          <span className={classes.under} title={`Assigned to ${original.assigneeName ?? "a member"}`}>
            {original.assigneeName ?? "A member"}
          </span>
        )}
      </>
    ),
  },
  {
    id: "ticket",
    header: "Ticket",
    meta: { aside: true, roomy: true, width: "6.5rem", isEmpty: ({ repairHandoffRef }) => repairHandoffRef === null },
    cell: ({ row }) => <TicketKey handoffRef={row.original.repairHandoffRef} />,
  },
  {
    id: "trend",
    header: "14 days",
    meta: { aside: true, roomy: true, width: "6rem" },
    cell: ({ row }) => <TrendBars days={row.original.recentDays} />,
  },
  {
    id: "occurrences",
    header: "Conversations",
    meta: { width: "6.75rem", align: "end" },
    cell: ({ row }) => <Count value={row.original.occurrenceCount} />,
  },
  {
    id: "users",
    header: "Users",
    meta: { aside: true, roomy: true, width: "4.5rem", align: "end", isEmpty: ({ userCount }) => userCount === 0 },
    cell: ({ row }) => <Count value={row.original.userCount} />,
  },
  {
    id: "cost",
    header: "Affected cost",
    meta: {
      aside: true,
      roomy: true,
      width: "7.5rem",
      align: "end",
      isEmpty: ({ affectedCost, unpricedCallCount }) => affectedCost === null && unpricedCallCount === 0,
    },
    cell: ({ row: { original } }) => (
      <CostTotal
        usd={original.affectedCost}
        unpriced={original.unpricedCallCount}
        note="known costs of the affected conversations"
        below
      />
    ),
  },
  {
    id: "score",
    header: "Score",
    meta: { aside: true, roomy: true, width: "4.5rem", align: "end" },
    cell: ({ row }) => <Score finding={row.original} />,
  },
  {
    id: "last",
    header: "Last seen",
    meta: { roomy: true, width: "6.5rem", align: "end" },
    cell: ({ row }) => <Ago at={row.original.lastDetectedAt} />,
  },
];

function TicketKey({ handoffRef }: { handoffRef: string | null }) {
  if (handoffRef === null) return null;
  const { tracker, key } = ticketOfRef(handoffRef);
  return (
    <>
      <span className={classes.ticket} title={`${key} in ${tracker}`}>
        {key}
      </span>
      <span className={classes.under}>{tracker}</span>
    </>
  );
}
