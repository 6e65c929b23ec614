"use client";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { Gate, RolloutDecision } from "@/server/services/serving/rollouts/schemas";
import type { TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { checkpointHref, deploymentHref, jobHref } from "../../_components/training/hrefs";

const OUTCOMES: Record<NonNullable<RolloutDecision["outcome"]>, { word: string; color: string }> = {
  deployed: { word: "Deployed", color: "var(--state-ok)" },
  skipped: { word: "Not deployed", color: "var(--severity-medium)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};
const GATES: Record<Gate["gate"], string> = {
  checkpoint: "Checkpoint",
  validation_loss: "Validation loss",
  parity: "Answers of its format",
  preserved_answers: "Preserved answers",
  deployment: "Deployment",
};
const GATE_STATUS: Record<Gate["status"], { word: string; color: string; hollow?: true }> = {
  passed: { word: "Passed", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
  waiting: { word: "Waiting", color: "var(--severity-low)", hollow: true },
  not_applicable: { word: "Does not apply", color: "var(--severity-info)", hollow: true },
};
const LIVE_MS = 3000;
const IDLE_MS = 30_000;

/** What automatic deployment decided about finished runs, newest first, with each gate. */
export function Rollouts({ projectId, config }: { projectId: string; config: TuningConfig }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.tuningConfigs.rollouts.infiniteQueryOptions(
      { projectId, configId: config.id, limit: 10 },
      {
        ...nextCursorPage,
        refetchInterval: ({ state }) =>
          state.data?.pages.some(({ decisions }) => decisions.some(({ outcome }) => outcome === null))
            ? LIVE_MS
            : IDLE_MS,
      },
    ),
  );
  const decisions = query.data?.pages.flatMap((page) => page.decisions) ?? [];
  if (!config.deployment.enabled && decisions.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        Automatic deployments
      </Text>
      {query.error && decisions.length === 0 ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      ) : query.isPending ? (
        <Skeleton height={60} />
      ) : decisions.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet: no run has finished since automatic deployment was turned on.
        </Text>
      ) : (
        <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="Automatic deployments">
          {decisions.map((decision) => (
            <Decision key={decision.id} projectId={projectId} decision={decision} />
          ))}
        </Stack>
      )}
      {query.hasNextPage ? (
        <Button
          mt="sm"
          variant="default"
          size="compact-sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show earlier
        </Button>
      ) : null}
    </div>
  );
}

function Decision({ projectId, decision }: { projectId: string; decision: RolloutDecision }) {
  const { outcome, message, gates, jobId, checkpointId, deploymentId, updatedAt } = decision;
  const look = outcome === null ? { word: "Evaluating", color: "var(--severity-low)" } : OUTCOMES[outcome];
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Dot color={look.color} hollow={outcome === null}>
          {look.word}
        </Dot>
        <Text size="xs" c="dimmed">
          <Ago at={updatedAt} />
        </Text>
      </Group>
      <Text size="sm">
        {message} <Link href={jobHref(projectId, jobId)}>Run</Link>
        {checkpointId === null ? null : (
          <>
            {" "}
            · <Link href={checkpointHref(projectId, checkpointId)}>Checkpoint</Link>
          </>
        )}
        {deploymentId === null ? null : (
          <>
            {" "}
            · <Link href={deploymentHref(projectId, deploymentId)}>Deployment</Link>
          </>
        )}
      </Text>
      <Stack gap={2} mt={4} component="ul" p={0} style={{ listStyle: "none" }} aria-label="Gates">
        {gates.map((one) => (
          <li key={one.gate}>
            <Text size="xs" component="div">
              <Dot color={GATE_STATUS[one.status].color} hollow={GATE_STATUS[one.status].hollow ?? false}>
                {GATES[one.gate]}: {GATE_STATUS[one.status].word.toLowerCase()}
              </Dot>
            </Text>
            <Text size="xs" c="dimmed">
              {one.message}
            </Text>
          </li>
        ))}
      </Stack>
    </li>
  );
}
