"use client";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { useTRPC } from "@/app/_lib/trpc/client";
import { RuleName } from "../../_components/findings/rule-name";
import { RetryRun } from "./retry-run";
import { RunFacts } from "./run-facts";

const BUSY_MS = 2500;

export function RunPeek({ projectId, runId, onClose }: { projectId: string; runId: string; onClose: () => void }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.ruleRuns.get.queryOptions(
      { projectId, runId },
      { refetchInterval: (query) => (/queued|running/.test(query.state.data?.run.status ?? "") ? BUSY_MS : false) },
    ),
  );
  return (
    <PeekPanel
      label="Rule Run"
      title={
        data ? (
          <>
            <RuleName ruleId={data.run.ruleId} /> on one conversation
          </>
        ) : (
          "Rule Run"
        )
      }
      onClose={onClose}
    >
      {data ? (
        <>
          <RunFacts projectId={projectId} run={data.run} />
          <RetryRun projectId={projectId} run={data.run} />
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the Rule Run">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}
