"use client";
import { IconTag } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ExactTime } from "@/app/_components/values/exact-time";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { LabelEvent } from "@/server/services/prompts/schemas";
import { authorOf } from "./version-columns";

const movedWords = ({ fromVersion, toVersion }: LabelEvent) =>
  toVersion === null
    ? `removed from version ${fromVersion}`
    : fromVersion === null
      ? `set to version ${toVersion}`
      : `from version ${fromVersion} to ${toVersion}`;

const COLUMNS: ListColumn<LabelEvent>[] = [
  {
    id: "moved",
    header: "Move",
    cell: ({ row: { original } }) => (
      <span>
        <b>{original.label}</b> {movedWords(original)}
      </span>
    ),
  },
  {
    id: "by",
    header: "By",
    meta: { width: "16rem", roomy: true },
    cell: ({ row }) => authorOf(row.original),
  },
  {
    id: "at",
    header: "When",
    meta: { width: "14rem", align: "end" },
    cell: ({ row }) => <ExactTime at={row.original.createdAt} />,
  },
];

/** When labels of a prompt moved, and who moved them. */
export function LabelEvents({ projectId, promptName }: { projectId: string; promptName: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.prompts.labelEvents.infiniteQueryOptions({ projectId, promptName, limit: 50 }, nextPage),
  );
  return (
    <DataList
      list={list}
      name="Moved labels"
      what="move"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.events) ?? []}
      rowId={({ id }) => id}
      rowName={({ label }) => label}
      minWidth={340}
      empty={
        <EmptyState icon={IconTag} title="No label has moved yet">
          Open a version and move a label to it, such as production. Each move is listed here.
        </EmptyState>
      }
    />
  );
}
