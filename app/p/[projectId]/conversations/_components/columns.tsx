import type { ColumnDef } from "@tanstack/react-table";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatDuration, plural, UNKNOWN } from "@/app/_lib/format";
import { tokensIn } from "@/app/p/[projectId]/_components/costs/usage-words";
import type { ConversationSummary } from "@/server/services/telemetry/schemas";
import { ConversationCost } from "./conversation-cost";

const tokensOf = ({ usage }: ConversationSummary) => (Object.keys(usage).length === 0 ? null : tokensIn(usage));

const None = () => <span style={{ color: "var(--mantine-color-dimmed)" }}>0</span>;

type Column = ColumnDef<ConversationSummary> & { id: string };
export const COLUMNS: Column[] = [
  {
    id: "started",
    header: "Started",
    meta: { width: "5.75rem" },
    cell: ({ row }) => <Ago at={row.original.startedAt} />,
  },
  {
    id: "message",
    header: "First message",
    meta: { link: true },
    cell: ({ row: { original } }) =>
      original.preview ?? <span className="mono">{original.externalId ?? original.id}</span>,
  },
  {
    id: "user",
    header: "User",
    meta: { width: "6.25rem" },
    cell: ({ row }) =>
      row.original.userId === null ? (
        <span title="unknown">{UNKNOWN}</span>
      ) : (
        <span className="mono" title={row.original.userId}>
          {row.original.userId}
        </span>
      ),
  },
  {
    id: "findings",
    header: "Findings",
    meta: { width: "5.25rem" },
    cell: ({ row: { original } }) =>
      original.findingCount === 0 ? (
        <None />
      ) : (
        <Dot color="var(--severity-high)" title={plural(original.findingCount, "Finding")}>
          <span className="tabular">{formatCount(original.findingCount)}</span>
        </Dot>
      ),
  },
  {
    id: "turns",
    header: "Messages",
    meta: { width: "5rem", align: "end" },
    cell: ({ row }) => <Count value={row.original.messageCount} />,
  },
  {
    id: "models",
    header: "Models",
    meta: { width: "8.75rem" },
    cell: ({ row: { original } }) =>
      original.models.length === 0 ? (
        <span title="unknown">{UNKNOWN}</span>
      ) : (
        <span className="mono" title={original.models.join(", ")}>
          {original.models[0]}
          {original.models.length > 1 ? ` +${original.models.length - 1}` : ""}
        </span>
      ),
  },
  {
    id: "tokens",
    header: "Tokens",
    meta: { width: "4.25rem", align: "end" },
    cell: ({ row }) => <Count value={tokensOf(row.original)} />,
  },
  {
    id: "cost",
    header: "Cost",
    meta: { width: "8rem", align: "end" },
    cell: ({ row }) => <ConversationCost conversation={row.original} below />,
  },
  {
    id: "errors",
    header: "Errors",
    meta: { width: "3.75rem", align: "end" },
    cell: ({ row: { original } }) =>
      original.errorCount === 0 ? <None /> : <strong className="tabular">{formatCount(original.errorCount)}</strong>,
  },
  {
    id: "duration",
    header: "Duration",
    meta: { width: "5.25rem", align: "end" },
    cell: ({ row: { original } }) => (
      <span className="tabular">{formatDuration(original.lastActivityAt - original.startedAt)}</span>
    ),
  },
];

export const HIDEABLE = COLUMNS.filter((column) => column.id !== "message").map(({ id, header }) => ({
  id,
  label: String(header),
}));

/** Columns shown while a conversation is open next to the list. */
export const HIDDEN_BESIDE_PEEK = ["user", "turns", "models", "tokens", "errors", "duration"];
