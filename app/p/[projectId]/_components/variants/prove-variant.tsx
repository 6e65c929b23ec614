"use client";
import { NativeSelect, NumberInput, SegmentedControl, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { formatCount, formatUsd, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ProofEstimate } from "@/server/services/proof/variants/schemas";
import { ConfirmDialog } from "../confirm/confirm-dialog";
import { evaluationHref } from "../evaluations/hrefs";
import { FindingSelect } from "../findings/finding-select";
import { endpointGroups, useEndpoints } from "./use-endpoints";

/** A version to prove, and on what it is proven unless another is chosen. */
export type ProofSubject = { variantId: string; name: string; findingId: string | null; datasetId?: string | null };
type Props = { projectId: string; subject: ProofSubject | null; onClose: () => void };
type On = "finding" | "dataset";

const DATASETS_LISTED = 200;
const COST_DECIMALS = 2;

/** Asks on what to prove a variant and what that may cost, says what it would take, and starts it. */
export function ProveVariant(props: Props) {
  const [shown, setShown] = useState(props.subject);
  if (props.subject !== null && props.subject !== shown) setShown(props.subject);
  return shown === null ? null : <Fields key={shown.variantId} {...props} shown={shown} />;
}

function Fields({ projectId, subject, onClose, shown }: Props & { shown: ProofSubject }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const [on, setOn] = useState<On>(shown.datasetId ? "dataset" : "finding");
  const [findingId, setFinding] = useState(shown.findingId);
  const [datasetId, setDataset] = useState(shown.datasetId ?? "");
  const [model, setModel] = useState("");
  const [chosenEndpoint, setEndpoint] = useState("");
  const [maxCost, setMaxCost] = useState<number | null>(null);
  const endpoints = useEndpoints(projectId) ?? [];
  const runs = endpoints.find(({ key }) => key === chosenEndpoint);
  const datasets = useQuery(
    trpc.datasets.list.queryOptions({ projectId, limit: DATASETS_LISTED }, { enabled: on === "dataset" }),
  );
  const chosenDataset = datasetId === "" ? (datasets.data?.datasets[0]?.id ?? "") : datasetId;
  const baseline = runs?.deploymentId
    ? { baselineDeploymentId: runs.deploymentId }
    : {
        ...(model.trim() === "" ? {} : { baselineModel: model.trim() }),
        ...(runs?.connectionId ? { baselineConnectionId: runs.connectionId } : {}),
      };
  const what = on === "finding" ? { findingId: findingId ?? "" } : { datasetId: chosenDataset };
  const isChosen = on === "finding" ? findingId !== null : chosenDataset !== "";
  const choice = { projectId, variantId: shown.variantId, ...what, ...baseline };
  const estimate = useQuery(
    trpc.variants.estimateProof.queryOptions(choice, { enabled: subject !== null && isChosen, retry: false }),
  );
  const start = useMutation(
    trpc.variants.prove.mutationOptions({
      onSuccess: ({ evaluation }) => {
        notifications.show({ message: "Started the proof" });
        onClose();
        router.push(evaluationHref(projectId, evaluation.id));
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.evaluations.pathKey() }),
    }),
  );
  const found = estimate.data?.estimate;
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={({ name }) => `Prove “${name}”`}
      says={() =>
        on === "finding"
          ? "What runs today and the variant answer the Finding’s conversations anew, each up to the faulty answer, and the Finding’s Rule reads both answers."
          : "What runs today and the variant answer the Examples of the test and validation splits, and each answer is compared with the expected one."
      }
      action="Start the proof"
      danger={false}
      ready={found !== undefined}
      running={start}
      onConfirm={() => start.mutate({ ...choice, ...(maxCost === null ? {} : { maxCost }) })}
    >
      <SegmentedControl<On>
        aria-label="Proven on"
        value={on}
        onChange={setOn}
        data={[
          { value: "finding", label: "A Finding’s conversations" },
          { value: "dataset", label: "Held-out Examples" },
        ]}
      />
      {on === "finding" ? (
        <FindingSelect
          projectId={projectId}
          size="sm"
          label="Finding"
          placeholder="Choose"
          nothingFoundMessage="None of the Findings with the most conversations"
          value={findingId}
          onChange={setFinding}
        />
      ) : (
        <NativeSelect
          size="sm"
          label="Dataset"
          value={chosenDataset}
          onChange={({ currentTarget: { value } }) => setDataset(value)}
          data={(datasets.data?.datasets ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <TextInput
        label="Model that runs today"
        description="It is sent what was recorded."
        placeholder={found?.baseline.model ?? "The one that was recorded most often"}
        disabled={!!runs?.deploymentId}
        value={runs?.deploymentId ? runs.name : model}
        onChange={({ currentTarget: { value } }) => setModel(value)}
      />
      {endpoints.length > 1 ? (
        <NativeSelect
          size="sm"
          label="Answered by"
          value={chosenEndpoint}
          onChange={({ currentTarget: { value } }) => setEndpoint(value)}
          data={[{ value: "", label: "What was recorded, or the variant’s" }, ...endpointGroups(endpoints)]}
        />
      ) : null}
      <NumberInput
        label="Stop at (US dollars)"
        description="What was answered until then counts."
        placeholder="No limit besides the connection’s"
        min={0.01}
        decimalScale={COST_DECIMALS}
        value={maxCost ?? ""}
        onChange={(value) => setMaxCost(typeof value === "number" && value > 0 ? value : null)}
      />
      <Refused error={estimate.error} />
      <Text size="sm" role="status">
        {found ? takesWords(found) : estimate.isFetching ? "Counting…" : isChosen ? "" : "Choose what to prove it on."}
      </Text>
    </ConfirmDialog>
  );
}

/** What a proof would take: rows, requests and cost. */
function takesWords({ rows, requests, known, cost, unpriced, notApplied }: ProofEstimate): string {
  const asks = [
    `${plural(rows, "row")}, ${plural(requests, "request")}`,
    ...(known > 0 ? [`${formatCount(known)} answers are known already`] : []),
    ...(notApplied > 0
      ? [`in ${formatCount(notApplied)} the system prompt is another one, so the change cannot be made there`]
      : []),
  ].join("; ");
  if (cost !== null) return `${asks}. About ${formatUsd(cost)}.`;
  return `${asks}. What it costs is unknown: ${unpriced.join(" and ")} ${unpriced.length === 1 ? "has" : "have"} no price.`;
}
