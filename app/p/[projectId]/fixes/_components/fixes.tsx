"use client";
import { Button } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { fixHref } from "../../_components/fixes/hrefs";
import { releaseWords } from "../../_components/fixes/words";
import { pageHref } from "../../_components/shell/pages";
import { COLUMNS } from "./columns";

/** What went out against Findings, and what each brought and cost, newest first. */
export function Fixes({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.fixes.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  return (
    <ListPage
      title="Fixes"
      list={list}
      what="fix"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.fixes) ?? []}
      rowId={({ id }) => id}
      rowName={(fix) => `${releaseWords(fix)} against ${fix.findingTitle}`}
      rowHref={({ id }) => fixHref(projectId, id)}
      rowHeight={58}
      minWidth={340}
      empty={
        <EmptyState
          icon={IconCircleCheck}
          title="No fix has gone out yet"
          action={
            <Button component={Link} variant="default" href={pageHref(projectId, "findings")}>
              Open Findings
            </Button>
          }
        >
          Resolve a Finding, close its ticket, or say on its page in which version, prompt or model its fix went out.
          The rate before and since is compared here until it is proven, with what it brought and cost.
        </EmptyState>
      }
    />
  );
}
