"use client";
import { Button } from "@mantine/core";
import { IconGitCompare, IconX } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import { evaluationHref } from "../../_components/evaluations/hrefs";
import { isUnfinished } from "../../_components/evaluations/words";
import { pageHref } from "../../_components/shell/pages";
import { COLUMNS, nameOf } from "./columns";
import { listInput, NO_FILTERS, viewParsers } from "./view";

/** The project's comparisons of models, newest first, with their live progress. */
export function Evaluations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.evaluations.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      refetchInterval: pollList((page) => page.evaluations.some(isUnfinished)),
    }),
  );
  const isFiltered = view.checkpoint !== null || view.finding !== null;
  const clear = () => void setView(NO_FILTERS);
  return (
    <ListPage
      title="Before/after"
      filters={
        isFiltered ? (
          <Button
            variant="light"
            rightSection={<IconX size={14} aria-hidden />}
            aria-label="Show all comparisons"
            onClick={clear}
          >
            {view.finding === null ? "One checkpoint" : "One Finding"}
          </Button>
        ) : null
      }
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
              <Button component={Link} href={pageHref(projectId, "variants")}>
                Variants
              </Button>
            }
          >
            A comparison asks two models or prompts the same questions: Examples that were held out, or conversations in
            which a Finding occurred. Start one from a variant, a checkpoint or a Finding.
          </EmptyState>
        )
      }
    />
  );
}
