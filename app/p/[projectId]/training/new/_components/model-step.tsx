"use client";
import { Button, Radio, SegmentedControl, Skeleton, Text, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SearchInput } from "@/app/_components/controls/search-input";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { formatBytes, formatCompact, formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { BaseModel } from "@/server/services/models/base-models/schemas";
import { formatMetric } from "../../../_components/training/charts/metric-words";
import { isUsable } from "../../../_components/training/is-usable";
import { AddModel } from "./add-model";
import classes from "./new-training.module.css";
import { Option } from "./option";
import type { StepProps } from "./step-props";

/** Chooses what to train: a base model, or a checkpoint to continue from. */
export function ModelStep(props: StepProps) {
  const { draft, setDraft } = props;
  const [from, setFrom] = useState(draft.checkpoint === null ? "model" : "checkpoint");
  return (
    <div className={classes.content}>
      <SegmentedControl
        aria-label="Start from"
        style={{ justifySelf: "start" }}
        value={from}
        onChange={(value) => {
          setFrom(value);
          setDraft(value === "model" ? { checkpoint: null } : { base: null, revision: null, source: null });
        }}
        data={[
          { value: "model", label: "A base model" },
          { value: "checkpoint", label: "A checkpoint" },
        ]}
      />
      {from === "model" ? <Models {...props} /> : <Checkpoints {...props} />}
    </div>
  );
}

function Models({ projectId, draft, setDraft }: StepProps) {
  const trpc = useTRPC();
  const [q, setQ] = useState("");
  const [adding, setAdding] = useState(false);
  const models = useQuery(
    trpc.baseModels.list.queryOptions(
      { projectId, ...(q.trim() === "" ? {} : { q: q.trim() }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const choose = ({ id, source, revision }: Pick<BaseModel, "id" | "source" | "revision">) =>
    setDraft({ base: id, source, revision, checkpoint: null });
  if (!models.data) {
    return models.error ? (
      <ErrorState error={models.error} onRetry={() => void models.refetch()} retrying={models.isFetching} />
    ) : (
      <Skeleton height={260} role="status" aria-label="Loading the models" />
    );
  }
  const { baseModels } = models.data;
  const shown = baseModels.some(({ id }) => id === draft.base);
  return (
    <>
      <div style={{ display: "flex", flexWrap: "wrap", gap: 8, justifyContent: "space-between" }}>
        <SearchInput label="Search models" value={q} onChange={setQ} />
        <Button variant="default" onClick={() => setAdding(true)}>
          Add model
        </Button>
      </div>
      <Radio.Group
        aria-label="Base model"
        value={draft.base}
        onChange={(id) => {
          const model = baseModels.find((one) => one.id === id);
          if (model) choose(model);
        }}
      >
        <div className={classes.options}>
          {draft.base !== null && !shown && q === "" ? (
            <Option
              value={draft.base}
              chosen
              title={<span className="mono">{draft.base}</span>}
              description="Entered by its id"
            />
          ) : null}
          {baseModels.map((model) => (
            <Option
              key={`${model.source} ${model.id}`}
              value={model.id}
              chosen={model.id === draft.base}
              title={
                <>
                  {model.name} <span className="mono">{model.id === model.name ? "" : model.id}</span>
                </>
              }
              description={<ModelFacts model={model} />}
            />
          ))}
          {baseModels.length === 0 ? (
            <Text size="sm" c="dimmed" p="sm">
              No model matches. Add it by its id on the hub, or by its path on the trainer’s machine.
            </Text>
          ) : null}
        </div>
      </Radio.Group>
      {draft.base !== null && draft.source === "hub" ? (
        <TextInput
          label="Revision"
          description="A branch, tag or commit. The run pins the commit."
          placeholder="main"
          maw={420}
          maxLength={200}
          value={draft.revision ?? ""}
          onChange={(event) => setDraft({ revision: event.currentTarget.value.trim() || null })}
        />
      ) : null}
      <AddModel
        projectId={projectId}
        opened={adding}
        onClose={() => setAdding(false)}
        onAdded={(model) => {
          setQ("");
          choose(model);
        }}
      />
    </>
  );
}

const BILLION = 1e9;

/** What is known about a model, with warnings. */
function ModelFacts({ model }: { model: BaseModel }) {
  const { parameters, contextLength, license, gated, template, baseModelId, source, diskBytes } = model;
  const facts = [
    ...(baseModelId === null ? [] : ["Added to this project"]),
    ...(source === "local" ? ["on the trainer’s machine"] : []),
    ...(parameters === null ? [] : [`${formatCompact(parameters * BILLION)} parameters`]),
    ...(contextLength === null ? [] : [`${formatCount(contextLength)} tokens of context`]),
    ...(license === null ? ["unknown licence"] : [license]),
    ...(gated ? ["gated: its owner asks for consent on the hub"] : []),
    ...(template.toolCalls === false ? ["no tool calls"] : []),
    ...(diskBytes ? [`${formatBytes(diskBytes)} on the trainer`] : []),
  ];
  const warning =
    template.hasTemplate === false
      ? "It has no chat template: choose an instruction-tuned model."
      : template.trainingCompatible === false
        ? "Its chat template does not mark answers: only the last answer of each Example is trained on."
        : null;
  return (
    <>
      {facts.join(" · ")}
      {warning === null ? null : (
        <>
          <br />
          {warning}
        </>
      )}
    </>
  );
}

function Checkpoints({ projectId, draft, setDraft }: StepProps) {
  const trpc = useTRPC();
  const query = useQuery(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 }));
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={260} role="status" aria-label="Loading the checkpoints" />
    );
  }
  const stored = query.data.checkpoints.filter(isUsable);
  return (
    <Radio.Group
      label="Continue from"
      description="Training continues from its weights."
      value={draft.checkpoint}
      onChange={(checkpoint) => setDraft({ checkpoint, base: null, revision: null })}
    >
      <div className={classes.options} style={{ marginBlockStart: 8 }}>
        {stored.length === 0 ? (
          <Text size="sm" c="dimmed" p="sm">
            No checkpoints yet. Runs save them as they train.
          </Text>
        ) : null}
        {stored.map(({ id, jobName, stepNumber, isBest, isFinal, metrics, baseModel, taintedAt, createdAt }) => (
          <Option
            key={id}
            value={id}
            chosen={id === draft.checkpoint}
            title={
              <span dir="auto">
                {jobName}, step {formatCount(stepNumber)}
              </span>
            }
            description={
              <>
                {baseModel.id}
                {isBest ? " · best" : ""}
                {isFinal ? " · final" : ""}
                {metrics.eval_loss == null ? "" : ` · evaluation loss ${formatMetric(metrics.eval_loss)}`} ·{" "}
                <Ago at={createdAt} />
                {taintedAt === null ? "" : " · trained on data that has since been deleted"}
              </>
            }
          />
        ))}
      </div>
    </Radio.Group>
  );
}
