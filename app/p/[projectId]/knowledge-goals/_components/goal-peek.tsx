"use client";
import { Button, DataList, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ListAction } from "@/app/_components/data-table/types";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { KnowledgeGoal } from "@/server/services/datasets/goals/schemas";
import { KeyPhrases } from "./key-phrases";

type Props = {
  projectId: string;
  goalId: string;
  /** As in the list, if it is among the loaded rows. */
  listed: KnowledgeGoal | undefined;
  actions: readonly ListAction<KnowledgeGoal>[];
  onAct: (actionId: string, goal: KnowledgeGoal) => void;
  onClose: () => void;
};

/** A goal in full, with its actions. */
export function GoalPeek({ projectId, goalId, listed, actions, onAct, onClose }: Props) {
  const trpc = useTRPC();
  const one = useQuery(
    trpc.knowledgeGoals.get.queryOptions({ projectId, knowledgeGoalId: goalId }, { enabled: !listed }),
  );
  const goal = listed ?? one.data?.knowledgeGoal;
  return (
    <PeekPanel label="Knowledge goal" title={goal?.title ?? "Knowledge goal"} onClose={onClose}>
      {goal ? (
        <Stack p="md" gap="md">
          {actions.length > 0 ? (
            <Group gap="xs">
              {actions.map(({ id, label, icon }) => (
                <Button key={id} variant="default" size="compact-sm" leftSection={icon} onClick={() => onAct(id, goal)}>
                  {label}
                </Button>
              ))}
            </Group>
          ) : null}
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {goal.description || "No description."}
          </Text>
          <KeyPhrases phrases={goal.keyPhrases} />
          <DataList orientation="horizontal" gap="xs">
            <Fact label="Created">
              <ExactTime at={goal.createdAt} />
            </Fact>
            <Fact label="Changed">
              <ExactTime at={goal.updatedAt} />
            </Fact>
            <Fact label="ID">
              <IdText id={goal.id} />
            </Fact>
          </DataList>
        </Stack>
      ) : one.error ? (
        <ErrorState error={one.error} onRetry={() => void one.refetch()} retrying={one.isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the goal">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}
