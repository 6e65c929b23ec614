"use client";
import { Button, Text } from "@mantine/core";
import { IconBinaryTree2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../../_components/shell/pages";
import { lineageHref } from "../../_components/training/hrefs";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { type Root, rootsOf } from "./roots-of";

const COLUMNS: ListColumn<Root>[] = [
  {
    id: "model",
    header: "Base model",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <Text size="sm" fw={500} component="div" className="clip">
        {original.id}
      </Text>
    ),
  },
  {
    id: "runs",
    header: "Training runs",
    meta: { width: "8rem", align: "end" },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.runs)}</span>,
  },
  {
    id: "last",
    header: "Last",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.lastAt} />,
  },
];

/** The base models that the project trained, each the root of a lineage. */
export function LineageRoots({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useQuery(trpc.trainingJobs.list.queryOptions({ projectId, limit: 100 }));
  const unattached = useWithoutTrainer(projectId, list.data?.jobs.length === 0);
  return (
    <>
      <PageHeader title="Lineage" />
      {unattached ? (
        <NoTrainer projectId={projectId} />
      ) : (
        <DataList
          list={list}
          name="Base models"
          what="base model"
          columns={COLUMNS}
          rows={rootsOf(list.data?.jobs ?? [])}
          rowId={({ id }) => id}
          rowName={({ id }) => id}
          rowHref={({ id }) => lineageHref(projectId, id)}
          minWidth={340}
          note={
            list.data?.nextCursor == null ? null : (
              <Text size="xs" c="dimmed" px="md" py={6}>
                Of the newest 100 training runs.
              </Text>
            )
          }
          empty={
            <EmptyState
              icon={IconBinaryTree2}
              title="No lineage yet"
              action={
                <Button component={Link} href={pageHref(projectId, "training")}>
                  Training
                </Button>
              }
            >
              Once a model has been trained, its lineage shows what each checkpoint learned from, and where it is served
              and published.
            </EmptyState>
          }
        />
      )}
    </>
  );
}
