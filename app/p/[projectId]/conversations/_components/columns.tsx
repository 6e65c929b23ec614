import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatDuration, plural, UNKNOWN } from "@/app/_lib/format";
import { tokensIn } from "@/app/p/[projectId]/_components/costs/usage-words";
import type { ConversationSummary, ListedConversation, SearchMatch } from "@/server/services/telemetry/schemas";
import classes from "./columns.module.css";
import { ConversationCost } from "./conversation-cost";

const tokensOf = ({ usage }: ConversationSummary) => (Object.keys(usage).length === 0 ? null : tokensIn(usage));

const None = () => <span style={{ color: "var(--mantine-color-dimmed)" }}>0</span>;

/** The number of characters that fit into the column before and after the match. */
const BEFORE_SHOWN = 12;
const AFTER_SHOWN = 40;

/** The context of a search match, unless the preview shows it. It comes first, since the end of a column is cut off. */
function Match({ match, preview }: { match: SearchMatch | null; preview: string | null }) {
  if (!match) return null;
  const { before, found, after, messageIndex } = match;
  if (messageIndex === 0 && preview?.toLowerCase().includes(found.toLowerCase())) return null;
  return (
    <span className={classes.match} title={`In message ${messageIndex}`}>
      …{before.slice(-BEFORE_SHOWN)}
      <mark>{found}</mark>
      {after.slice(0, AFTER_SHOWN)}
      {" · "}
    </span>
  );
}

export const COLUMNS: ListColumn<ListedConversation>[] = [
  {
    id: "started",
    header: "Started",
    meta: { width: "5.5rem", sort: "server" },
    cell: ({ row }) => <Ago at={row.original.startedAt} />,
  },
  {
    id: "message",
    header: "First message",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Match match={original.match} preview={original.preview} />
        {original.preview ?? <span className="mono">{original.externalId ?? original.id}</span>}
      </>
    ),
  },
  {
    id: "user",
    header: "User",
    meta: { roomy: true, aside: true, width: "5.75rem" },
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
    meta: { width: "4.75rem" },
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
    meta: { roomy: true, aside: true, width: "5.75rem", align: "end", sort: "server" },
    cell: ({ row }) => <Count value={row.original.messageCount} />,
  },
  {
    id: "models",
    header: "Models",
    meta: { roomy: true, aside: true, wide: true, width: "6.5rem" },
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
    meta: { roomy: true, aside: true, width: "4.75rem", align: "end", sort: "server" },
    cell: ({ row }) => <Count value={tokensOf(row.original)} />,
  },
  {
    id: "cost",
    header: "Cost",
    meta: { roomy: true, width: "5.75rem", align: "end", sort: "server" },
    cell: ({ row }) => <ConversationCost conversation={row.original} below />,
  },
  {
    id: "errors",
    header: "Errors",
    meta: { roomy: true, aside: true, wide: true, width: "3.75rem", align: "end" },
    cell: ({ row: { original } }) =>
      original.errorCount === 0 ? <None /> : <strong className="tabular">{formatCount(original.errorCount)}</strong>,
  },
  {
    id: "duration",
    header: "Duration",
    meta: { roomy: true, aside: true, width: "5.75rem", align: "end", sort: "server" },
    cell: ({ row: { original } }) => (
      <span className="tabular">{formatDuration(original.lastActivityAt - original.startedAt)}</span>
    ),
  },
  {
    id: "activity",
    header: "Active",
    meta: { roomy: true, aside: true, width: "5.5rem", align: "end", sort: "server", label: "Last activity" },
    cell: ({ row }) => <Ago at={row.original.lastActivityAt} />,
  },
];
