"use client";
import { Button } from "@mantine/core";
import { IconDeviceFloppy, IconX } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { formatCount } from "@/app/_lib/format";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import { pageHref } from "../../_components/shell/pages";
import { checkpointHref } from "../../_components/training/hrefs";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { CheckpointPeek } from "./checkpoint-peek";
import { COLUMNS } from "./columns";
import { listInput, serializeView, viewParsers } from "./view";

/** The project's checkpoints, newest first. */
export function Checkpoints({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(pageHref(projectId, "checkpoints"), serializeView({ ...view, peek: null }));
  const list = useInfiniteQuery(
    trpc.checkpoints.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      refetchInterval: pollList(),
    }),
  );
  const isEmpty = list.data?.pages.every((page) => page.checkpoints.length === 0) ?? false;
  const unattached = useWithoutTrainer(projectId, isEmpty && view.run === null);
  return (
    <ListPage
      title="Checkpoints"
      filters={
        view.run === null ? null : (
          <Button
            variant="light"
            rightSection={<IconX size={14} aria-hidden />}
            aria-label="Show checkpoints of all runs"
            onClick={() => void setView({ run: null })}
          >
            One run
          </Button>
        )
      }
      instead={unattached ? <NoTrainer projectId={projectId} /> : null}
      list={list}
      what="checkpoint"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.checkpoints) ?? []}
      rowId={({ id }) => id}
      rowName={({ jobName, stepNumber }) => `${jobName}, step ${formatCount(stepNumber)}`}
      rowHref={({ id }) => checkpointHref(projectId, id)}
      rowHeight={54}
      minWidth={360}
      minWidthAside={340}
      dimmed={({ state }) => state === "pruned"}
      peek={({ id, row, close }) => (
        <CheckpointPeek key={id} projectId={projectId} checkpointId={id} row={row} onClose={close} />
      )}
      empty={
        view.run === null ? (
          <EmptyState
            icon={IconDeviceFloppy}
            title="No checkpoints yet"
            action={
              <Button component={Link} href={pageHref(projectId, "training")}>
                Training
              </Button>
            }
          >
            Runs save what they have learned as checkpoints: the best, the last, and those to resume from.
          </EmptyState>
        ) : (
          <NoMatch title="No checkpoint matches" onClear={() => void setView({ run: null })} />
        )
      }
    />
  );
}
