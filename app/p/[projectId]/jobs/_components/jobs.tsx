"use client";
import { NativeSelect } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryStates } from "nuqs";
import { ListPage } from "@/app/_components/data-table/list-page";
import { SampledNote } from "@/app/_components/data-table/sampled-note";
import type { ListAction } from "@/app/_components/data-table/types";
import { useKeys } from "@/app/_lib/use-keys";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { COMPLETED, columnsOf } from "./columns";
import { JobPeek } from "./job-peek";
import classes from "./jobs.module.css";
import { JobsEmpty } from "./jobs-empty";
import { Notes } from "./notes";
import { ReplayAll } from "./replay-all";
import { StateFilter } from "./state-filter";
import { useJobActions } from "./use-job-actions";
import { useJobs } from "./use-jobs";
import { countOf, countWords, NO_FILTERS, peekHref, viewParsers } from "./view";
import { functionWords, nameOf } from "./words";

export function Jobs({ projectId }: { projectId: string }) {
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const [opened, dialog] = useDisclosure(false);
  const actions = useJobActions(projectId);
  const { list, jobs, summary } = useJobs(projectId, view);
  const may = useMay("project:admin") && summary?.engine !== "inngest";
  const functions = (summary?.functions ?? []).map((one) => ({ id: one.id, name: functionWords(one) }));
  useKeys({ u: actions.undo });
  const beside = view.peek !== null;
  const mayReplayAny = may && jobs.some(({ state }) => state === "failed");
  const onReplay = mayReplayAny ? actions.replay : undefined;
  const columns = columnsOf({ projectId, onReplay, busyWith: actions.busyWith });
  const replay: ListAction<BackgroundJob> = {
    id: "replay",
    label: "Replay",
    key: "r",
    applies: ({ state }) => state === "failed",
    run: ({ rows }) => actions.replayAll(rows),
  };
  return (
    <ListPage
      title="Jobs"
      filters={
        <FunctionSelect
          value={view.function}
          functions={functions}
          onChange={(chosen) => void setView({ function: chosen })}
        />
      }
      menus={<ViewsMenu projectId={projectId} list="jobs" parsers={viewParsers} />}
      above={
        <div className={classes.above} data-beside={beside || undefined}>
          <StateFilter value={view.state} onChange={(state) => void setView({ state })} summary={summary} />
          {summary ? (
            <Notes
              summary={summary}
              may={may}
              onShow={view.state === "failed" ? undefined : () => void setView({ ...NO_FILTERS, state: "failed" })}
              onReplay={dialog.open}
            />
          ) : null}
        </div>
      }
      list={list}
      what="job"
      columns={columns}
      rows={jobs}
      rowId={(job) => job.id}
      rowName={nameOf}
      rowHref={(job) => peekHref(view, job.id)}
      linkPeeks
      fold={view.state === null ? COMPLETED : undefined}
      rowHeight={54}
      minWidth={860}
      minWidthAside={440}
      dimmed={(job) => job.state === "cancelled"}
      actions={may ? [replay] : []}
      note={<SampledNote what="jobs" sampled={list.data?.pages[0]?.sampled} />}
      peek={({ id, close }) => <JobPeek key={id} projectId={projectId} jobId={id} actions={actions} onClose={close} />}
      empty={<JobsEmpty projectId={projectId} view={view} summary={summary} onClear={() => void setView(NO_FILTERS)} />}
    >
      {summary ? (
        <ReplayAll
          projectId={projectId}
          opened={opened}
          onClose={dialog.close}
          only={functions.find(({ id }) => id === view.function) ?? null}
          failed={countWords(countOf(summary, "failed"))}
        />
      ) : null}
    </ListPage>
  );
}

type FunctionSelectProps = {
  value: string | null;
  functions: readonly { id: string; name: string }[];
  onChange: (functionId: string | null) => void;
};

/** Includes the filtered function even if it has no jobs. */
const FunctionSelect = ({ value, functions, onChange }: FunctionSelectProps) => (
  <NativeSelect
    aria-label="Function"
    maw={{ base: 210, sm: 320 }}
    value={value ?? ""}
    onChange={(event) => onChange(event.currentTarget.value || null)}
    data={[
      { value: "", label: "Any function" },
      ...functions.map(({ id, name }) => ({ value: id, label: name })),
      ...(value && !functions.some(({ id }) => id === value) ? [value] : []),
    ]}
  />
);
