import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { formatDay } from "@/app/_lib/format";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import { RuleName } from "../../_components/findings/rule-name";
import { BackfillProgress, RunCounts } from "./backfill-progress";
import { BackfillStatus } from "./backfill-status";

/** `1 Jun – 8 Jun`; without a start, all until the end. */
export const windowWords = ({ startMs, endMs }: Pick<Backfill, "startMs" | "endMs">) =>
  startMs === 0 ? `until ${formatDay(endMs, 0)}` : `${formatDay(startMs, 0)} – ${formatDay(endMs, 0)}`;

export const columnsOf = (projectId: string): ListColumn<Backfill>[] => [
  {
    id: "status",
    header: "Status",
    meta: { width: "7.5rem" },
    cell: ({ row }) => <BackfillStatus backfill={row.original} />,
  },
  {
    id: "rule",
    header: "Rule",
    meta: { width: "8.5rem", link: true },
    cell: ({ row }) => <RuleName ruleId={row.original.ruleId} />,
  },
  {
    id: "window",
    header: "Active",
    meta: { width: "14rem", aside: true, roomy: true },
    cell: ({ row }) => windowWords(row.original),
  },
  {
    id: "progress",
    header: "Progress",
    cell: ({ row }) => <BackfillProgress backfill={row.original} />,
  },
  {
    id: "runs",
    header: "Runs",
    meta: { width: "15rem", aside: true, roomy: true },
    cell: ({ row }) => <RunCounts projectId={projectId} backfill={row.original} />,
  },
  {
    id: "by",
    header: "By",
    meta: { width: "11rem", aside: true, roomy: true },
    cell: ({ row: { original } }) => original.actorName ?? original.actorId ?? "the operator",
  },
  {
    id: "created",
    header: "Started",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
