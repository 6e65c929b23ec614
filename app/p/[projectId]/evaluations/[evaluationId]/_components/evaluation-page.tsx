"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconGitCompare } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { WithoutThing } from "@/app/_components/feedback/without-thing";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { useMay } from "../../../_components/access/membership";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { isJudged } from "../../../_components/evaluations/judge-words";
import { StartEvaluation } from "../../../_components/evaluations/start-evaluation";
import { EvaluationState } from "../../../_components/evaluations/state";
import { isUnfinished } from "../../../_components/evaluations/words";
import { pageHref } from "../../../_components/shell/pages";
import { TrainerError } from "../../../_components/training/trainer-error";
import { ProveVariant } from "../../../_components/variants/prove-variant";
import classes from "./evaluation-page.module.css";
import { Facts } from "./facts";
import { LossChart } from "./loss-chart";
import { Rows } from "./rows";
import { Summary } from "./summary";

const LIVE_MS = 1500;
const IDLE_MS = 15_000;
const isLive = (evaluation: Evaluation) => isUnfinished(evaluation) || isJudged(evaluation.judging);

/** A comparison of two models: its result with intervals next to the run's loss, and its rows, live. */
export function EvaluationPage({ projectId, evaluationId }: { projectId: string; evaluationId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const query = useQuery(
    trpc.evaluations.get.queryOptions(
      { projectId, evaluationId },
      { refetchInterval: ({ state }) => (state.data && isLive(state.data.evaluation) ? LIVE_MS : IDLE_MS) },
    ),
  );
  const back = useListHref(pageHref(projectId, "evaluations"));
  useKeys({ [ESC]: () => router.push(back) });
  const evaluation = query.data?.evaluation;
  if (!evaluation)
    return (
      <WithoutThing
        what="Comparison"
        icon={IconGitCompare}
        list={{ href: pageHref(projectId, "evaluations"), label: "All comparisons" }}
        because="Comparisons are deleted with their checkpoint or variant."
        query={query}
      />
    );
  return (
    <>
      <Header projectId={projectId} evaluation={evaluation} back={back} />
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label="The comparison, scrollable">
        <Facts projectId={projectId} evaluation={evaluation} />
        {evaluation.error === null ? null : <TrainerError error={evaluation.error} />}
        <div className={classes.columns}>
          <Summary evaluation={evaluation} />
          {evaluation.jobId === null ? null : <LossChart projectId={projectId} jobId={evaluation.jobId} />}
        </div>
        <Rows projectId={projectId} evaluation={evaluation} />
      </section>
    </>
  );
}

type HeaderProps = { projectId: string; evaluation: Evaluation; back: string };

function Header({ projectId, evaluation, back }: HeaderProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("models:manage");
  const [cancelling, setCancelling] = useState(false);
  const [repeating, setRepeating] = useState(false);
  const cancel = useMutation(
    trpc.evaluations.cancel.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: "Cancelled the comparison" });
        setCancelling(false);
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.evaluations.pathKey() }),
    }),
  );
  const { checkpointId, variantId, findingId, datasetId } = evaluation;
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <BackLink href={back} label="All comparisons" />
            <span className="clip" dir="auto" title={evaluation.after.name}>
              {evaluation.after.name}
            </span>
          </span>
        }
        aside={
          !may ? null : isUnfinished(evaluation) ? (
            <Button variant="default" onClick={() => setCancelling(true)}>
              Cancel…
            </Button>
          ) : (
            <Button variant="default" onClick={() => setRepeating(true)}>
              Compare again…
            </Button>
          )
        }
      >
        <EvaluationState evaluation={evaluation} />
      </PageHeader>
      <ConfirmDialog
        subject={cancelling && isUnfinished(evaluation) ? evaluation : null}
        onClose={() => setCancelling(false)}
        title={() => "Cancel the comparison?"}
        says={() => "Answers so far are kept, with their counts but without a verdict."}
        action="Cancel comparison"
        keep="Keep running"
        running={cancel}
        onConfirm={({ id }) => cancel.mutate({ projectId, evaluationId: id })}
      />
      {checkpointId === null ? null : (
        <StartEvaluation
          projectId={projectId}
          subject={repeating ? (findingId === null ? { checkpointId } : { findingId }) : null}
          onClose={() => setRepeating(false)}
        />
      )}
      {variantId === null ? null : (
        <ProveVariant
          projectId={projectId}
          subject={repeating ? { variantId, name: evaluation.after.name, findingId, datasetId } : null}
          onClose={() => setRepeating(false)}
        />
      )}
    </>
  );
}
