"use client";
import { Button } from "@mantine/core";
import { IconBulb, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { editAndDelete } from "@/app/_components/data-table/edit-and-delete";
import { ListPage } from "@/app/_components/data-table/list-page";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { KnowledgeGoal } from "@/server/services/datasets/goals/schemas";
import { useMay } from "../../_components/access/membership";
import { COLUMNS } from "./columns";
import { DeleteGoal } from "./delete-goal";
import { GoalForm } from "./goal-form";
import { GoalPeek } from "./goal-peek";

/** What models should know about the project, and the phrases by which conversations about it are found. */
export function KnowledgeGoals({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const [edited, setEdited] = useState<KnowledgeGoal | "new" | null>(null);
  const [deleted, setDeleted] = useState<KnowledgeGoal | null>(null);
  const [, setView] = useListView();
  const list = useInfiniteQuery(trpc.knowledgeGoals.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  const actions = editAndDelete<KnowledgeGoal>(setEdited, setDeleted);
  const add = may ? (
    <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
      New goal
    </Button>
  ) : null;
  const offered = may ? actions : [];
  return (
    <ListPage
      title="Knowledge goals"
      buttons={add}
      list={list}
      what="goal"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.knowledgeGoals) ?? []}
      rowId={({ id }) => id}
      rowName={({ title }) => title}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      minWidth={340}
      actions={offered}
      peek={({ id, row, close, act }) => (
        <GoalPeek
          key={id}
          projectId={projectId}
          goalId={id}
          listed={row}
          actions={offered}
          onAct={act}
          onClose={close}
        />
      )}
      empty={
        <EmptyState icon={IconBulb} title="No knowledge goals yet" action={add}>
          A goal describes something that a model should know, such as your refund policy. A Dataset with the objective
          “Teach project knowledge” collects good answers from conversations about it.
        </EmptyState>
      }
    >
      <GoalForm projectId={projectId} goal={edited} onClose={() => setEdited(null)} />
      <DeleteGoal
        projectId={projectId}
        goal={deleted}
        onDeleted={() => void setView({ peek: null })}
        onClose={() => setDeleted(null)}
      />
    </ListPage>
  );
}
