"use client";
import { Button } from "@mantine/core";
import { IconCalendarBolt } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import type { TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { useMay } from "../../_components/access/membership";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { COLUMNS } from "./columns";
import { ConfigForm } from "./config-form";
import { ConfigPeek } from "./config-peek";
import { DeleteConfig } from "./delete-config";
import { listInput, NEW, viewParsers } from "./view";

/** Reusable training configurations, and what their triggers decided. */
export function TuningConfigs({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("project:data:write");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const [deleted, setDeleted] = useState<TuningConfig | null>(null);
  const list = useInfiniteQuery(
    trpc.tuningConfigs.list.infiniteQueryOptions(listInput(projectId), {
      ...nextCursorPage,
      refetchInterval: pollList(),
    }),
  );
  const configs = list.data?.pages.flatMap((page) => page.tuningConfigs) ?? [];
  const unattached = useWithoutTrainer(projectId, list.isSuccess && configs.length === 0);
  const add = <Button onClick={() => void setView({ edit: NEW })}>New configuration</Button>;
  return (
    <ListPage
      title="Tuning configurations"
      buttons={may ? add : null}
      instead={unattached ? <NoTrainer projectId={projectId} /> : null}
      list={list}
      what="configuration"
      columns={COLUMNS}
      rows={configs}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      rowHeight={54}
      minWidth={340}
      minWidthAside={340}
      peek={({ id, row, close }) => (
        <ConfigPeek
          key={id}
          projectId={projectId}
          configId={id}
          row={row}
          onEdit={() => void setView({ edit: id })}
          onDelete={setDeleted}
          onClose={close}
        />
      )}
      empty={
        <EmptyState icon={IconCalendarBolt} title="No tuning configurations" action={may ? add : null}>
          A configuration repeats a training with the same Dataset, model and settings: started by hand, on a schedule,
          or once enough new Examples have been collected.
        </EmptyState>
      }
    >
      <ConfigForm
        projectId={projectId}
        editing={may && !unattached ? view.edit : null}
        onClose={() => void setView({ edit: null })}
      />
      <DeleteConfig
        projectId={projectId}
        config={deleted}
        onClose={() => setDeleted(null)}
        onDeleted={() => void setView({ peek: null })}
      />
    </ListPage>
  );
}
