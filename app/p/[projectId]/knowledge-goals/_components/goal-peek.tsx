"use client";
import { DataList, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ListAction } from "@/app/_components/data-table/types";
import { PeekActions } from "@/app/_components/layout/peek-actions";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { PeekUnread } from "@/app/_components/layout/peek-unread";
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
          <PeekActions row={goal} actions={actions} onAct={onAct} />
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
      ) : (
        <PeekUnread what="goal" query={one} />
      )}
    </PeekPanel>
  );
}
