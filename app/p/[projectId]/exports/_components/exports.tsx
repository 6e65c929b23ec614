"use client";
import { Button, NativeSelect } from "@mantine/core";
import { IconCloudUpload, IconX } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import type { ModelExport } from "@/server/services/model-exports/schemas";
import { useMay } from "../../_components/access/membership";
import { ExportDialog } from "../../_components/serving/export-dialog";
import { canCancelExport, EXPORT_STATUS, EXPORT_STATUSES, isUnfinishedExport } from "../../_components/serving/words";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { useCheckpointNames } from "../../deployments/_components/use-checkpoint-names";
import { CancelExport } from "./cancel-export";
import { columnsOf } from "./columns";
import { ExportPeek } from "./export-peek";
import { isFiltered, listInput, NO_FILTERS, type View, viewParsers } from "./view";

/** What has been, and is being, published to model hubs, live. */
export function Exports({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("project:models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.modelExports.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      refetchInterval: pollList((page) => page.exports.some(isUnfinishedExport)),
    }),
  );
  const checkpointName = useCheckpointNames(projectId);
  const columns = columnsOf({ checkpointName });
  const [cancelled, setCancelled] = useState<ModelExport | null>(null);
  const isEmpty = list.data?.pages.every((page) => page.exports.length === 0) ?? false;
  const unattached = useWithoutTrainer(projectId, isEmpty && !isFiltered(view));
  const exporting = <Button onClick={() => void setView({ export: "new" })}>Export a model</Button>;
  return (
    <ListPage
      title="Exports"
      filters={<Filters view={view} setView={setView} />}
      buttons={may ? exporting : null}
      instead={unattached ? <NoTrainer projectId={projectId} /> : null}
      list={list}
      what="export"
      columns={columns}
      rows={list.data?.pages.flatMap((page) => page.exports) ?? []}
      rowId={({ id }) => id}
      rowName={({ destination }) => destination.repoId}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      rowHeight={58}
      minWidth={340}
      dimmed={({ status }) => status === "cancelled"}
      actions={
        may
          ? [
              {
                id: "cancel",
                label: "Cancel…",
                danger: true,
                single: true,
                applies: canCancelExport,
                run: async ({ rows: [row] }) => {
                  if (row) setCancelled(row);
                  return null;
                },
              },
            ]
          : []
      }
      peek={({ id, row, close }) => (
        <ExportPeek key={id} projectId={projectId} exportId={id} row={row} onCancel={setCancelled} onClose={close} />
      )}
      empty={
        isFiltered(view) ? (
          <NoMatch title="No export matches" onClear={() => void setView(NO_FILTERS)} />
        ) : (
          <EmptyState icon={IconCloudUpload} title="No exports yet" action={may ? exporting : null}>
            An export publishes a checkpoint to a model hub as GGUF, as the merged model or as an adapter, with a model
            card that describes it. Its answers are compared with the checkpoint’s first.
          </EmptyState>
        )
      }
    >
      <CancelExport
        projectId={projectId}
        of={cancelled !== null && canCancelExport(cancelled) ? cancelled : null}
        onClose={() => setCancelled(null)}
      />
      <ExportDialog
        projectId={projectId}
        start={!may || view.export === null ? null : view.export === "new" ? {} : { checkpointId: view.export }}
        onClose={() => void setView({ export: null })}
      />
    </ListPage>
  );
}

function Filters({ view, setView }: { view: View; setView: (view: Partial<View>) => unknown }) {
  return (
    <>
      <NativeSelect
        aria-label="Status"
        value={view.status ?? ""}
        onChange={(event) =>
          setView({ status: EXPORT_STATUSES.find((known) => known === event.currentTarget.value) ?? null })
        }
        data={[
          { value: "", label: "Any status" },
          ...EXPORT_STATUSES.map((value) => ({ value, label: EXPORT_STATUS[value].word })),
        ]}
      />
      {view.checkpoint === null ? null : (
        <Button
          variant="light"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label="Show exports of all checkpoints"
          onClick={() => setView({ checkpoint: null })}
        >
          One checkpoint
        </Button>
      )}
    </>
  );
}
