"use client";
import { NativeSelect } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryStates } from "nuqs";
import { ListFrame } from "@/app/_components/layout/list-frame";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { useMay } from "../../_components/access/membership";
import { JobPeek } from "./job-peek";
import { columnsOf, JobRow } from "./job-row";
import classes from "./jobs.module.css";
import { JobsEmpty } from "./jobs-empty";
import { Notes } from "./notes";
import { ReplayAll } from "./replay-all";
import { StateFilter } from "./state-filter";
import { useJobActions } from "./use-job-actions";
import { useJobs } from "./use-jobs";
import { countOf, countWords, NO_FILTERS, peekHref, viewParsers } from "./view";
import { functionWords } from "./words";

export function Jobs({ projectId }: { projectId: string }) {
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const [opened, dialog] = useDisclosure(false);
  const may = useMay("project:admin");
  const actions = useJobActions(projectId);
  const { list, jobs, summary } = useJobs(projectId, view);
  const functions = (summary?.functions ?? []).map((one) => ({ id: one.id, name: functionWords(one) }));
  const peek = (id: string | null) => void setView({ peek: id });
  useKeys({ [ESC]: () => view.peek && peek(null), u: actions.undo });
  const beside = view.peek !== null;
  return (
    <>
      <PageHeader title="Jobs">
        <FunctionSelect
          value={view.function}
          functions={functions}
          onChange={(chosen) => void setView({ function: chosen })}
        />
      </PageHeader>
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
      <div className={panes.root}>
        <div className={panes.list}>
          <PageBody>
            <ListFrame
              label="Jobs"
              what="job"
              columns={columnsOf(beside)}
              minWidth={320}
              list={list}
              busy={list.isPlaceholderData}
              count={jobs.length}
              empty={
                <JobsEmpty
                  projectId={projectId}
                  view={view}
                  summary={summary}
                  onClear={() => void setView(NO_FILTERS)}
                />
              }
            >
              {jobs.map((job, index) => (
                <JobRow
                  key={job.id}
                  index={index}
                  job={job}
                  href={peekHref(view, job.id)}
                  active={job.id === view.peek}
                  beside={beside}
                  onOpen={() => peek(job.id === view.peek ? null : job.id)}
                  onReplay={may ? () => actions.replay(job) : undefined}
                  replaying={actions.busyWith === job.id}
                />
              ))}
            </ListFrame>
          </PageBody>
        </div>
        {view.peek === null ? null : (
          <JobPeek
            key={view.peek}
            projectId={projectId}
            jobId={view.peek}
            actions={actions}
            onClose={() => peek(null)}
          />
        )}
      </div>
      {summary ? (
        <ReplayAll
          projectId={projectId}
          opened={opened}
          onClose={dialog.close}
          only={functions.find(({ id }) => id === view.function) ?? null}
          failed={countWords(countOf(summary, "failed"))}
        />
      ) : null}
    </>
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
