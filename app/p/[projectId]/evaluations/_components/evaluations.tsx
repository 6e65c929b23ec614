"use client";
import { Button } from "@mantine/core";
import { IconGitCompare, IconX } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { evaluationHref } from "../../_components/evaluations/hrefs";
import { isUnfinished } from "../../_components/evaluations/words";
import { pageHref } from "../../_components/shell/pages";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { COLUMNS, nameOf } from "./columns";
import { listInput, NO_FILTERS, viewParsers } from "./view";

const BUSY_MS = 2000;
const IDLE_MS = 15_000;

/** The project's comparisons of models, newest first, with their live progress. */
export function Evaluations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.evaluations.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      refetchInterval: ({ state }) => {
        const pages = state.data?.pages ?? [];
        if (pages.length > 1) return false;
        return pages.some((page) => page.evaluations.some(isUnfinished)) ? BUSY_MS : IDLE_MS;
      },
    }),
  );
  const isFiltered = view.checkpoint !== null || view.finding !== null;
  const isEmpty = list.data?.pages.every((page) => page.evaluations.length === 0) ?? false;
  const unattached = useWithoutTrainer(projectId, isEmpty && !isFiltered);
  const clear = () => void setView(NO_FILTERS);
  return (
    <>
      <PageHeader title="Before/after" aside={unattached ? null : <ColumnMenu columns={COLUMNS} />}>
        {isFiltered ? (
          <Button
            variant="light"
            rightSection={<IconX size={14} aria-hidden />}
            aria-label="Show all comparisons"
            onClick={clear}
          >
            {view.finding === null ? "One checkpoint" : "One Finding"}
          </Button>
        ) : null}
      </PageHeader>
      {unattached ? (
        <NoTrainer projectId={projectId} />
      ) : (
        <DataList
          list={list}
          name="Comparisons"
          what="comparison"
          columns={COLUMNS}
          rows={list.data?.pages.flatMap((page) => page.evaluations) ?? []}
          rowId={({ id }) => id}
          rowName={nameOf}
          rowHref={({ id }) => evaluationHref(projectId, id)}
          rowHeight={58}
          minWidth={360}
          dimmed={({ status }) => status === "cancelled"}
          empty={
            isFiltered ? (
              <NoMatch title="No comparison matches" onClear={clear} />
            ) : (
              <EmptyState
                icon={IconGitCompare}
                title="Nothing compared yet"
                action={
                  <Button component={Link} href={pageHref(projectId, "checkpoints")}>
                    Checkpoints
                  </Button>
                }
              >
                A comparison asks a checkpoint and the model before it the same questions: Examples that were held out
                from training, or conversations in which a Finding occurred. Start one from a checkpoint or a Finding.
              </EmptyState>
            )
          }
        />
      )}
    </>
  );
}
