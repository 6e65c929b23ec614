"use client";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { useMay } from "../../_components/access/membership";
import { StartEvaluation } from "../../_components/evaluations/start-evaluation";
import { checkpointHref, newTrainingHref } from "../../_components/training/hrefs";
import { isUsable } from "../../_components/training/is-usable";
import { CheckpointFacts, CheckpointFiles, CheckpointProfile } from "./checkpoint-parts";

type Props = { projectId: string; checkpointId: string; row: Checkpoint | undefined; onClose: () => void };

/** A checkpoint's facts, its files, and how to serve it. */
export function CheckpointPeek({ projectId, checkpointId, row, onClose }: Props) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const { data, error, refetch, isFetching } = useQuery(
    trpc.checkpoints.get.queryOptions({ projectId, checkpointId }, { enabled: row === undefined }),
  );
  const checkpoint = row ?? data?.checkpoint;
  const [comparing, setComparing] = useState(false);
  return (
    <PeekPanel
      label="Checkpoint"
      title={checkpoint ? `Step ${formatCount(checkpoint.stepNumber)}` : "Checkpoint"}
      openHref={checkpointHref(projectId, checkpointId)}
      onClose={onClose}
    >
      {checkpoint ? (
        <Stack p="md" gap="lg">
          {may && isUsable(checkpoint) ? (
            <Group>
              <Button variant="default" size="compact-sm" onClick={() => setComparing(true)}>
                Compare before and after…
              </Button>
              <Button
                component={Link}
                variant="default"
                size="compact-sm"
                href={newTrainingHref(projectId, { checkpoint: checkpoint.id })}
              >
                Continue training…
              </Button>
            </Group>
          ) : null}
          <StartEvaluation
            projectId={projectId}
            subject={comparing ? { checkpointId: checkpoint.id } : null}
            onClose={() => setComparing(false)}
          />
          <CheckpointFacts projectId={projectId} checkpoint={checkpoint} />
          <CheckpointFiles projectId={projectId} checkpoint={checkpoint} />
          <div>
            <Text size="sm" fw={600} mb={4}>
              Inference profile
            </Text>
            <CheckpointProfile checkpoint={checkpoint} />
          </div>
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the checkpoint">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}
