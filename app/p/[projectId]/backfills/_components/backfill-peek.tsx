"use client";
import { Button, DataList, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ListAction } from "@/app/_components/data-table/types";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import { RuleName } from "../../_components/findings/rule-name";
import { BackfillProgress, RunCounts } from "./backfill-progress";
import { BackfillStatus } from "./backfill-status";
import { isRunning } from "./backfill-words";

const BUSY_MS = 1000;

type Props = {
  projectId: string;
  backfillId: string;
  actions: readonly ListAction<Backfill>[];
  onAct: (actionId: string, backfill: Backfill) => void;
  busy: boolean;
  onClose: () => void;
};

/** A backfill's progress, its Runs, and what can be done about it. */
export function BackfillPeek({ projectId, backfillId, actions, onAct, busy, onClose }: Props) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.backfills.get.queryOptions(
      { projectId, backfillId },
      { refetchInterval: ({ state }) => (state.data && isRunning(state.data.backfill) ? BUSY_MS : false) },
    ),
  );
  const backfill = data?.backfill;
  const offered = backfill ? actions.filter((action) => action.applies?.(backfill) ?? true) : [];
  return (
    <PeekPanel label="Backfill" title={backfill ? <RuleName ruleId={backfill.ruleId} /> : "Backfill"} onClose={onClose}>
      {backfill ? (
        <Stack p="md" gap="md">
          <Group gap="xs" display={offered.length === 0 ? "none" : "flex"}>
            {offered.map((action) => (
              <Button
                key={action.id}
                variant="default"
                size="compact-sm"
                disabled={busy}
                onClick={() => onAct(action.id, backfill)}
              >
                {action.label}
              </Button>
            ))}
          </Group>
          {backfill.error === null ? null : (
            <Text size="sm" c="var(--mantine-color-error)">
              {backfill.error}
            </Text>
          )}
          <Facts projectId={projectId} backfill={backfill} />
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the backfill">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}

const Facts = ({ projectId, backfill }: { projectId: string; backfill: Backfill }) => (
  <DataList size="sm" gap={6} labelWidth={110}>
    <Fact label="Status">
      <BackfillStatus backfill={backfill} />
    </Fact>
    <Fact label="Progress">
      <BackfillProgress backfill={backfill} />
    </Fact>
    <Fact label="Runs">
      <RunCounts projectId={projectId} backfill={backfill} />
    </Fact>
    <Fact label="Rule">
      <Link href={`/p/${projectId}/rules/${encodeURIComponent(backfill.ruleId)}`}>
        <RuleName ruleId={backfill.ruleId} />
      </Link>
    </Fact>
    <Fact label="Settings">Revision {formatCount(backfill.configurationRevision)}</Fact>
    <Fact label="Active from">
      <ExactTime at={backfill.startMs} />
    </Fact>
    <Fact label="Until">
      <ExactTime at={backfill.endMs} />
    </Fact>
    <Fact label="At most">{formatCount(backfill.maxConversations)} conversations</Fact>
    <Fact label="By">{backfill.actorName ?? backfill.actorId ?? "the operator"}</Fact>
    <Fact label="Requested">
      <ExactTime at={backfill.createdAt} />
    </Fact>
    {backfill.pausedAt === null ? null : (
      <Fact label="Paused">
        <ExactTime at={backfill.pausedAt} />
      </Fact>
    )}
    <Fact label="Finished">
      <ExactTime at={backfill.finishedAt} />
    </Fact>
    <Fact label="ID">
      <IdText id={backfill.id} />
    </Fact>
  </DataList>
);
