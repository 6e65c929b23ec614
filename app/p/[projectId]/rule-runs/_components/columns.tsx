import type { ColumnDef } from "@tanstack/react-table";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatDuration, plural, UNKNOWN } from "@/app/_lib/format";
import type { RuleRun } from "@/server/services/diagnostics/schemas";
import { RunStatus } from "./run-status";
import { ORIGIN_WORD } from "./view";

/** A Run's result in a line. */
export const outcomeOf = (run: RuleRun) => {
  if (run.errorMessage !== null) return run.errorMessage;
  if (run.skipReason !== null) return run.skipReason;
  if (run.resultCount === null) return UNKNOWN;
  return run.resultCount === 0 ? "Nothing found" : plural(run.resultCount, "occurrence");
};

type Column = ColumnDef<RuleRun> & { id: string };
export const COLUMNS: Column[] = [
  {
    id: "status",
    header: "Status",
    meta: { width: "7.5rem" },
    cell: ({ row }) => <RunStatus status={row.original.status} />,
  },
  {
    id: "rule",
    header: "Rule",
    meta: { width: "10rem" },
    cell: ({ row: { original } }) => (
      <span className="mono">
        {original.ruleId} <span style={{ color: "var(--mantine-color-dimmed)" }}>v{original.ruleVersion}</span>
      </span>
    ),
  },
  {
    id: "conversation",
    header: "Conversation",
    meta: { width: "16rem", link: true },
    cell: ({ row }) => <span className="mono">{row.original.conversationId}</span>,
  },
  {
    id: "outcome",
    header: "Outcome",
    cell: ({ row }) => <span title={outcomeOf(row.original)}>{outcomeOf(row.original)}</span>,
  },
  { id: "origin", header: "Origin", meta: { width: "6.5rem" }, cell: ({ row }) => ORIGIN_WORD[row.original.origin] },
  {
    id: "attempts",
    header: "Attempts",
    meta: { width: "5rem", align: "end" },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.attempts)}</span>,
  },
  {
    id: "took",
    header: "Took",
    meta: { width: "5.5rem", align: "end" },
    cell: ({ row: { original } }) => (
      <span className="tabular">
        {original.startedAt === null || original.finishedAt === null
          ? UNKNOWN
          : formatDuration(original.finishedAt - original.startedAt)}
      </span>
    ),
  },
  {
    id: "created",
    header: "Asked for",
    meta: { width: "6.5rem", align: "end" },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];

export const HIDEABLE = COLUMNS.filter((column) => column.id !== "conversation").map(({ id, header }) => ({
  id,
  label: String(header),
}));

/** Columns shown while a Run is open next to the list. */
export const HIDDEN_BESIDE_PEEK = ["outcome", "origin", "attempts", "took"];
