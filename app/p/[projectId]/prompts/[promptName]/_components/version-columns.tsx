import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import { Money } from "@/app/_components/values/money";
import { formatCount, formatPercent, UNKNOWN } from "@/app/_lib/format";
import type { ListedVersion } from "@/server/services/prompts/schemas";
import { Labels } from "../../_components/labels";
import type { Usage } from "./view";

const ACTORS = { user: "a former member", apiKey: "an API key", job: "a job", operator: "the operator" } as const;

export const authorOf = ({ actorKind, actorName }: Pick<ListedVersion, "actorKind" | "actorName">) =>
  actorName ?? ACTORS[actorKind];

/** Share of the conversations with feedback that got a thumbs down. */
export const downShare = ({ thumbsDown, withFeedback }: Usage) =>
  withFeedback === 0 ? null : thumbsDown / withFeedback;

/** `undefined`: not known yet. `unused`: no call names the version. */
type UsageOf = (version: number) => Usage | "unused" | undefined;

/** Renders a number of a version. */
const number = (usage: ReturnType<UsageOf>, show: (usage: Usage) => React.ReactNode, none: React.ReactNode) =>
  usage === undefined ? UNKNOWN : usage === "unused" ? none : show(usage);

export const versionColumns = (usageOf: UsageOf): ListColumn<ListedVersion>[] => [
  {
    id: "version",
    header: "Version",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <div className="tabular" style={{ whiteSpace: "normal" }}>
          <b>{formatCount(original.version)}</b> <Labels labels={original.labels} />
        </div>
        <Text size="xs" c="dimmed" lineClamp={2} style={{ whiteSpace: "normal", overflowWrap: "anywhere" }}>
          {original.message ?? "No message"} · {authorOf(original)}
        </Text>
      </>
    ),
  },
  {
    id: "calls",
    header: "Calls",
    meta: { width: "5.5rem", align: "end", roomy: true },
    cell: ({ row }) =>
      number(usageOf(row.original.version), ({ calls }) => <Count value={calls} />, <Count value={0} />),
  },
  {
    id: "cost",
    header: "Cost",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row }) =>
      number(
        usageOf(row.original.version),
        ({ cost, unpricedCalls }) => (
          <Money
            usd={cost}
            note={unpricedCalls > 0 ? `without ${formatCount(unpricedCalls)} unpriced calls` : undefined}
          />
        ),
        UNKNOWN,
      ),
  },
  {
    id: "conversations",
    header: "Conversations",
    meta: { width: "8rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) =>
      number(
        usageOf(row.original.version),
        ({ conversations }) => <Count value={conversations} />,
        <Count value={0} />,
      ),
  },
  {
    id: "down",
    header: "Thumbs down",
    meta: { width: "8rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) =>
      number(
        usageOf(row.original.version),
        (usage) => (
          <span
            className="tabular"
            title={`${formatCount(usage.thumbsDown)} of ${formatCount(usage.withFeedback)} with feedback`}
          >
            {formatPercent(downShare(usage))}
          </span>
        ),
        UNKNOWN,
      ),
  },
  {
    id: "created",
    header: "Created",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
