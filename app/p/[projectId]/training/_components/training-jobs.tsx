"use client";
import { Button, NativeSelect } from "@mantine/core";
import { IconChartLine, IconX } from "@tabler/icons-react";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useRememberList } from "@/app/_lib/remember-list";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { useDatasets } from "../../_components/datasets/use-datasets";
import { pageHref } from "../../_components/shell/pages";
import { CancelJob } from "../../_components/training/cancel-job";
import { DeleteTraining } from "../../_components/training/delete-training";
import { jobHref, newTrainingHref } from "../../_components/training/hrefs";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { isUnfinished, STATUS, STATUSES } from "../../_components/training/words";
import { columnsOf } from "./columns";
import { useJobActions } from "./use-job-actions";
import { useTrainingJobs } from "./use-training-jobs";
import { isFiltered, NO_FILTERS, serializeView, type View, viewParsers } from "./view";

/** The project's training runs with their live progress; up to four can be compared. */
export function TrainingJobs({ projectId }: { projectId: string }) {
  const may = useMay("models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(pageHref(projectId, "training"), serializeView({ ...view, peek: null }));
  const { list, jobs } = useTrainingJobs(projectId, view);
  const datasets = useDatasets(projectId);
  const [cancelled, setCancelled] = useState<TrainingJob | null>(null);
  const [deleted, setDeleted] = useState<TrainingJob | null>(null);
  const actions = useJobActions(projectId, { onCancel: setCancelled, onDelete: setDeleted });
  const columns = columnsOf({
    projectId,
    datasetName: (id) => datasets.data?.find((dataset) => dataset.id === id)?.name,
  });
  const train = (
    <Button component={Link} href={newTrainingHref(projectId)}>
      New training
    </Button>
  );
  const unattached = useWithoutTrainer(projectId, list.isSuccess && jobs.length === 0 && !isFiltered(view));
  return (
    <ListPage
      title="Training"
      filters={<Filters view={view} setView={setView} datasets={datasets.data ?? []} />}
      buttons={may ? train : null}
      instead={unattached ? <NoTrainer projectId={projectId} /> : null}
      list={list}
      name="Training runs"
      what="run"
      columns={columns}
      rows={jobs}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowHref={({ id }) => jobHref(projectId, id)}
      rowHeight={58}
      minWidth={360}
      dimmed={({ status }) => status === "cancelled"}
      actions={actions}
      empty={
        isFiltered(view) ? (
          <NoMatch title="No run matches" onClear={() => void setView(NO_FILTERS)} />
        ) : (
          <EmptyState icon={IconChartLine} title="No training yet" action={may ? train : null}>
            Teach a model the Examples of a Dataset. Before a run starts, you see the exact text it is trained on, the
            memory and time it needs, and which Examples would be excluded.
          </EmptyState>
        )
      }
    >
      <CancelJob
        projectId={projectId}
        job={cancelled !== null && isUnfinished(cancelled) ? cancelled : null}
        onClose={() => setCancelled(null)}
      />
      <DeleteTraining
        projectId={projectId}
        subject={deleted && { kind: "job", id: deleted.id, name: deleted.name }}
        onClose={() => setDeleted(null)}
      />
    </ListPage>
  );
}

type FiltersProps = {
  view: View;
  setView: (view: Partial<View>) => unknown;
  datasets: readonly { id: string; name: string }[];
};

function Filters({ view, setView, datasets }: FiltersProps) {
  const unknown = view.dataset !== null && !datasets.some(({ id }) => id === view.dataset);
  return (
    <>
      <NativeSelect
        aria-label="Status"
        value={view.status ?? ""}
        onChange={(event) => setView({ status: STATUSES.find((known) => known === event.currentTarget.value) ?? null })}
        data={[{ value: "", label: "Any status" }, ...STATUSES.map((value) => ({ value, label: STATUS[value].word }))]}
      />
      <NativeSelect
        aria-label="Dataset"
        maw={260}
        value={view.dataset ?? ""}
        onChange={(event) => setView({ dataset: event.currentTarget.value || null })}
        data={[
          { value: "", label: "Any Dataset" },
          ...datasets.map(({ id, name }) => ({ value: id, label: name })),
          ...(unknown && view.dataset !== null ? [{ value: view.dataset, label: view.dataset }] : []),
        ]}
      />
      {view.config === null ? null : (
        <Button
          variant="light"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label="Show runs of all configurations"
          onClick={() => setView({ config: null })}
        >
          One configuration
        </Button>
      )}
    </>
  );
}
