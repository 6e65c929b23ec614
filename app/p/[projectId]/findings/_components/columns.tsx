import type { ColumnDef } from "@tanstack/react-table";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import { InlineCode } from "@/app/_components/values/inline-code";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { FindingState } from "@/app/p/[projectId]/_components/findings/finding-state";
import { Score } from "@/app/p/[projectId]/_components/findings/score";
import { Severity } from "@/app/p/[projectId]/_components/findings/severity";
import type { Finding } from "@/server/services/diagnostics/schemas";
import classes from "./findings.module.css";

type Column = ColumnDef<Finding> & { id: string };
export const COLUMNS: Column[] = [
  {
    id: "severity",
    header: "Severity",
    meta: { width: "6.5rem" },
    cell: ({ row }) => <Severity value={row.original.severity} />,
  },
  {
    id: "title",
    header: "Finding",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <span className={classes.titleLine}>
          <InlineCode text={original.title} />
        </span>
        <span className={classes.under}>
          <span className="mono">
            {original.ruleId} / {original.signal}
          </span>{" "}
          <InlineCode text={original.summary} />
        </span>
      </>
    ),
  },
  {
    id: "state",
    header: "State",
    meta: { width: "7.5rem" },
    cell: ({ row }) => <FindingState finding={row.original} />,
  },
  {
    id: "occurrences",
    header: "Conversations",
    meta: { width: "7.25rem", align: "end" },
    cell: ({ row }) => <Count value={row.original.occurrenceCount} />,
  },
  {
    id: "users",
    header: "Users",
    meta: { width: "4.5rem", align: "end" },
    cell: ({ row }) => <Count value={row.original.userCount} />,
  },
  {
    id: "cost",
    header: "Their cost",
    meta: { width: "8rem", align: "end" },
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
    meta: { width: "4.5rem", align: "end" },
    cell: ({ row }) => <Score finding={row.original} />,
  },
  {
    id: "first",
    header: "First seen",
    meta: { width: "6.5rem", align: "end" },
    cell: ({ row }) => <Ago at={row.original.firstDetectedAt} />,
  },
  {
    id: "last",
    header: "Last seen",
    meta: { width: "6.5rem", align: "end" },
    cell: ({ row }) => <Ago at={row.original.lastDetectedAt} />,
  },
];

export const HIDEABLE = COLUMNS.filter((column) => column.id !== "title").map(({ id, header }) => ({
  id,
  label: String(header),
}));

/** Columns shown while a Finding is open next to the list. */
export const HIDDEN_BESIDE_PEEK = ["state", "users", "cost", "first", "score"];
