"use client";
import { Select } from "@mantine/core";
import { IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Evaluator } from "@/server/services/diagnostics/evaluators/schemas";
import { useMay } from "../../../_components/access/membership";
import { pageHref } from "../../../_components/shell/pages";
import { Comparison } from "./comparison";
import { FailureForm } from "./failure-form";
import { chosenOf, viewParsers } from "./view";
import { failsWhenWords, rangeWords } from "./words";

/** What automatic evaluators said, held against what Rules found in the same conversations. */
export function Evaluators({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useQuery(trpc.evaluators.list.queryOptions({ projectId }));
  const evaluators = list.data?.evaluators ?? [];
  const chosen = chosenOf(view, evaluators);
  return (
    <>
      <PageHeader
        title={
          <span style={{ display: "flex", gap: 4, alignItems: "center" }}>
            <BackLink href={pageHref(projectId, "rules")} label="All Rules" />
            Evaluators
          </span>
        }
      >
        {chosen ? (
          <Select
            aria-label="Evaluator"
            data={evaluators.map(({ name }) => name)}
            value={chosen.name}
            onChange={(evaluator) => void setView({ evaluator })}
            allowDeselect={false}
            searchable={evaluators.length > 10}
          />
        ) : null}
      </PageHeader>
      <PageBody>
        {list.error && !list.data ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
        ) : chosen ? (
          <Chosen key={chosen.name} projectId={projectId} evaluator={chosen} />
        ) : list.data ? (
          <NoEvaluators />
        ) : (
          <TableSkeleton rows={6} label="Loading evaluators" />
        )}
      </PageBody>
    </>
  );
}

function Chosen({ projectId, evaluator }: { projectId: string; evaluator: Evaluator }) {
  const may = useMay("diagnostics:write");
  const { failsWhen, lastGivenAt } = evaluator;
  return (
    <>
      <PageSection title="Which results are bad">
        <p style={{ marginBlockStart: 0 }}>
          {rangeWords(evaluator)} Last result: <Ago at={lastGivenAt} />.
        </p>
        {may ? (
          <FailureForm key={JSON.stringify(failsWhen)} projectId={projectId} evaluator={evaluator} />
        ) : (
          <p>{failsWhen ? failsWhenWords(failsWhen) : "Nobody has said which of its results are bad."}</p>
        )}
      </PageSection>
      {failsWhen ? <Comparison projectId={projectId} name={evaluator.name} /> : null}
    </>
  );
}

const NoEvaluators = () => (
  <EmptyState icon={IconScale} title="No evaluator has sent results">
    Results arrive with your telemetry, as <code>gen_ai.evaluation.result</code> events or as annotations of
    OpenInference. Scores of Langfuse, LangSmith or a judge of your own are sent to <code>feedback</code> of the{" "}
    <a href="/docs">API</a>, with a name and <code>"evaluatorKind": "model"</code>. Here you then see how far they agree
    with the Rules, and which conversations only they fault.
  </EmptyState>
);
