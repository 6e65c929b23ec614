"use client";
import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { DataList } from "@/app/_components/data-table/data-list";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { pageHref } from "../../../_components/shell/pages";
import { columnsOf } from "./columns";
import { NewRepricing } from "./new-repricing";
import { listInput } from "./view";

const BUSY_MS = 1000;
const IN_PROGRESS = new Set(["queued", "running", "undoing"]);

/** Reprices stored costs with current prices: preview, history and undo. */
export function Repricings({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.repricings.list.infiniteQueryOptions(listInput(projectId), {
      ...nextPage,
      refetchInterval: (query) =>
        query.state.data?.pages.some((page) => page.repricings.some(({ state }) => IN_PROGRESS.has(state)))
          ? BUSY_MS
          : false,
    }),
  );
  const rows = list.data?.pages.flatMap((page) => page.repricings) ?? [];
  const busy = rows.some(({ state }) => IN_PROGRESS.has(state));
  const states = list.data && rows.map(({ id, state }) => `${id} ${state}`).join();
  return (
    <>
      <PageHeader
        title="Repricing"
        aside={
          <Button component={Link} href={pageHref(projectId, "prices")} variant="default">
            Prices
          </Button>
        }
      />
      <PageBody>
        <PageSection title="Recalculate costs">
          <NewRepricing projectId={projectId} busy={busy} states={states} />
        </PageSection>
        <PageSection title="Earlier" flush>
          <DataList
            embedded
            list={list}
            name="Repricings"
            what="repricing"
            columns={columnsOf(projectId, busy)}
            rows={rows}
            rowId={({ id }) => id}
            rowName={({ id }) => id}
            minWidth={860}
            empty={
              <EmptyState icon={IconRefresh} title="Nothing repriced yet">
                Costs are stored with each call and stay as they are when a price changes. Only repricing changes them,
                and it can be undone.
              </EmptyState>
            }
          />
        </PageSection>
      </PageBody>
    </>
  );
}
