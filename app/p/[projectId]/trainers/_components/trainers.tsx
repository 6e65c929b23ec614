"use client";
import { Button, Skeleton } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Trainer } from "@/server/services/trainers/schemas";
import { NoTrainer } from "../../_components/training/no-trainer";
import { AddTrainer } from "./add-trainer";
import { RemoveTrainer } from "./remove-trainer";
import { TrainerCard } from "./trainer-card";
import classes from "./trainers.module.css";

const LIVE_MS = 5000;

/** The machines that train: their hardware, what they are doing, what they cannot do and why; adds and removes them. */
export function Trainers({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [adding, setAdding] = useState(false);
  const [rekeyed, setRekeyed] = useState<Trainer | null>(null);
  const [removed, setRemoved] = useState<Trainer | null>(null);
  const query = useQuery(trpc.trainers.list.queryOptions({ projectId }, { refetchInterval: LIVE_MS }));
  const mayManage = query.data?.mayManage ?? false;
  const trainers = query.data?.trainers ?? [];
  return (
    <>
      <PageHeader
        title="Trainers"
        aside={
          mayManage ? (
            <Button onClick={() => setAdding(true)} leftSection={<IconPlus size={14} aria-hidden />}>
              Add trainer
            </Button>
          ) : null
        }
      />
      {query.data && trainers.length === 0 ? (
        <PageBody>
          <NoTrainer projectId={projectId} here />
        </PageBody>
      ) : !query.data ? (
        query.error ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
        ) : (
          <div className={classes.cards} role="status" aria-label="Loading the trainers">
            <Skeleton height={260} />
            <Skeleton height={260} />
          </div>
        )
      ) : (
        <>
          <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
          <PageBody>
            <div className={classes.cards}>
              {trainers.map((trainer) => (
                <TrainerCard
                  key={trainer.id}
                  trainer={trainer}
                  onNewKey={mayManage && !trainer.online ? () => setRekeyed(trainer) : undefined}
                  onRemove={mayManage ? () => setRemoved(trainer) : undefined}
                />
              ))}
            </div>
          </PageBody>
        </>
      )}
      <AddTrainer
        key={rekeyed?.id ?? ""}
        trainer={rekeyed}
        opened={adding || rekeyed !== null}
        onClose={() => {
          setAdding(false);
          setRekeyed(null);
        }}
      />
      <RemoveTrainer trainer={removed} onClose={() => setRemoved(null)} />
    </>
  );
}
