"use client";
import { Button, Skeleton, Stack, TextInput, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useEffect, useRef } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { OnlyFor } from "../../../_components/access/only-for";
import { useDatasets } from "../../../_components/datasets/use-datasets";
import { pageHref } from "../../../_components/shell/pages";
import { NoTrainer } from "../../../_components/training/no-trainer";
import { howWords, shortModel } from "../../../_components/training/words";
import { CheckStep } from "./check-step";
import { DatasetStep } from "./dataset-step";
import { canOpen, type Draft, draftParsers, type SetDraft, STEPS, type Step } from "./draft";
import { MethodStep } from "./method-step";
import { ModelStep } from "./model-step";
import classes from "./new-training.module.css";
import { SettingsStep } from "./settings-step";
import { useCopied } from "./use-copied";
import { useStart } from "./use-start";

const STEP_WORDS: Record<Step, string> = {
  dataset: "Dataset",
  model: "Model",
  method: "Method",
  settings: "Settings",
  check: "Check and start",
};

/** Leads from a Dataset to a started training; the draft is in the URL. */
export const NewTraining = ({ projectId }: { projectId: string }) => (
  <OnlyFor capability="models:manage" title="New training">
    <Wizard projectId={projectId} />
  </OnlyFor>
);

function Wizard({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [draft, setQuery] = useQueryStates(draftParsers, { history: "replace" });
  const setDraft: SetDraft = (change) => void setQuery(change);
  const copying = useCopied(projectId, draft, setDraft);
  const trainers = useQuery(trpc.trainers.list.queryOptions({ projectId }, { refetchInterval: 15_000 }));
  const unattached = trainers.data?.trainers.length === 0;
  const start = useStart(projectId, draft);
  const at = STEPS.indexOf(draft.step);
  const next = STEPS[at + 1];
  const before = STEPS[at - 1];
  useKeys({ [ESC]: () => router.push(pageHref(projectId, "training")) });
  // A URL whose step needs something that was not chosen opens the step that chooses it.
  const reachable = canOpen(draft.step, draft);
  const copied = copying.isCopying;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what decides whether the step can be shown
  useEffect(() => {
    if (!reachable && !copied) setDraft({ step: draft.dataset === null ? "dataset" : "model" });
  }, [reachable, copied, draft.dataset]);
  const steps = useRef<HTMLElement>(null);
  // On a phone the steps scroll sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is another place
  useEffect(() => {
    steps.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [draft.step]);
  const header = (
    <PageHeader
      title={
        <span style={{ display: "flex", gap: 4, alignItems: "center" }}>
          <BackLink href={pageHref(projectId, "training")} label="All runs" />
          New training
        </span>
      }
    />
  );
  if (unattached) {
    return (
      <>
        {header}
        <NoTrainer projectId={projectId} />
      </>
    );
  }
  if (copying.error) {
    return (
      <>
        {header}
        <ErrorState error={copying.error} onRetry={copying.retry} />
      </>
    );
  }
  if (copied) {
    return (
      <>
        {header}
        <Stack p="md" role="status" aria-label="Copying the settings">
          {[40, 90, 70].map((width) => (
            <Skeleton key={width} height={14} width={`${width}%`} />
          ))}
        </Stack>
      </>
    );
  }
  const step = { projectId, draft, setDraft, trainers: trainers.data?.trainers ?? [] };
  return (
    <>
      {header}
      <nav aria-label="Steps" ref={steps}>
        <ol className={classes.steps}>
          {STEPS.map((value, index) => (
            <li key={value}>
              <UnstyledButton
                className={classes.step}
                disabled={!canOpen(value, draft)}
                aria-current={value === draft.step ? "step" : undefined}
                onClick={() => setDraft({ step: value })}
              >
                <span className={classes.number} aria-hidden>
                  {index + 1}
                </span>
                {STEP_WORDS[value]}
              </UnstyledButton>
            </li>
          ))}
        </ol>
      </nav>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label={`${STEP_WORDS[draft.step]}, scrollable`}>
        {draft.step === "dataset" ? <DatasetStep {...step} /> : null}
        {draft.step === "model" ? <ModelStep {...step} /> : null}
        {draft.step === "method" ? <MethodStep {...step} /> : null}
        {draft.step === "settings" ? <SettingsStep {...step} /> : null}
        {draft.step === "check" ? <CheckStep {...step} startError={start.error} /> : null}
      </section>
      <div className={classes.foot}>
        <Chosen projectId={projectId} draft={draft} />
        {before === undefined ? null : (
          <Button variant="default" onClick={() => setDraft({ step: before })}>
            Back
          </Button>
        )}
        {next === undefined ? (
          <>
            <TextInput
              size="xs"
              aria-label="Name of the run"
              placeholder="Name of the run"
              maxLength={200}
              value={draft.name}
              onChange={(event) => setDraft({ name: event.currentTarget.value })}
            />
            <Button onClick={start.start} loading={start.isPending} disabled={!start.ready}>
              Start training
            </Button>
          </>
        ) : (
          <Button disabled={!canOpen(next, draft)} onClick={() => setDraft({ step: next })}>
            Continue
          </Button>
        )}
      </div>
    </>
  );
}

/** What has been chosen so far, in a line. */
function Chosen({ projectId, draft }: { projectId: string; draft: Draft }) {
  const datasets = useDatasets(projectId);
  const dataset = datasets.data?.find(({ id }) => id === draft.dataset);
  const parts = [
    ...(draft.dataset === null ? [] : [dataset?.name ?? "Dataset"]),
    ...(draft.checkpoint !== null ? ["from a checkpoint"] : draft.base === null ? [] : [shortModel(draft.base)]),
    ...(draft.dataset === null ? [] : [howWords(draft)]),
  ];
  return <span className={`${classes.chosen} clip`}>{parts.join(" · ")}</span>;
}
