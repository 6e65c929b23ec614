"use client";
import { Alert, NativeSelect, NumberInput, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatCount } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { COMPRESSED_QUANTIZATIONS, GGUF_QUANTIZATIONS } from "@/server/services/training/settings/schemas";
import { deploymentHref } from "../training/hrefs";
import {
  type Backend,
  backendProblem,
  builtForm,
  missingWords,
  type Quantization,
  quantizationProblem,
} from "./backends";
import { type DeployForm, hasTokenizerPre, nameProblem, tokenizerPreProblem } from "./deploy-form";
import { ParityOverride } from "./parity/parity-override";
import { TokenizerPre } from "./tokenizer-pre";
import { BACKENDS } from "./words";

type Props = {
  projectId: string;
  form: DeployForm;
  set: (change: Partial<DeployForm>) => void;
  checkpoints: readonly Checkpoint[];
  checkpoint: Checkpoint | undefined;
  /** The checkpoint is given and cannot be chosen. */
  fixed: boolean;
  error: unknown;
};

export const checkpointWords = ({ jobName, stepNumber, isBest, isFinal }: Checkpoint) =>
  `${jobName}, step ${formatCount(stepNumber)}${isBest ? ", best" : ""}${isFinal ? ", final" : ""}`;

export function DeployFields({ projectId, form, set, checkpoints, checkpoint, fixed, error }: Props) {
  return (
    <>
      {fixed && checkpoint ? (
        <Text size="sm">
          <strong dir="auto">{checkpointWords(checkpoint)}</strong>{" "}
          <Text span size="xs" c="dimmed" className="mono">
            {checkpoint.baseModel.id}
          </Text>
        </Text>
      ) : (
        <NativeSelect
          size="sm"
          label="Checkpoint"
          required
          value={form.checkpointId}
          onChange={(event) => set({ checkpointId: event.currentTarget.value })}
          data={[
            { value: "", label: "Choose a checkpoint" },
            ...checkpoints.map((one) => ({ value: one.id, label: checkpointWords(one) })),
          ]}
        />
      )}
      {checkpoint?.taintedAt == null ? null : (
        <Alert color="orange" p="xs">
          Some of its training data was deleted with a user or conversation. Retrain without it first.
        </Alert>
      )}
      <NameField projectId={projectId} form={form} set={set} error={error} />
      <FormField projectId={projectId} form={form} set={set} />
      {hasTokenizerPre(form) ? (
        <TokenizerPre
          value={form.tokenizerPre}
          onChange={(tokenizerPre) => set({ tokenizerPre })}
          problem={tokenizerPreProblem(form.tokenizerPre) ?? fieldProblem(error, "/tokenizerPre")}
        />
      ) : null}
      <BackendField projectId={projectId} form={form} set={set} checkpoint={checkpoint} error={error} />
      <NumberInput
        size="sm"
        label="Give up after"
        description="Minutes. A deployment that has not started by then counts as failed."
        maw={280}
        min={1}
        max={120}
        allowDecimal={false}
        clampBehavior="blur"
        value={form.timeoutMinutes}
        onChange={(value) => set({ timeoutMinutes: Number(value) || 0 })}
      />
      <ParityOverride
        projectId={projectId}
        checkpointId={form.checkpointId}
        built={builtForm(form.quantization)}
        verb="Deploy"
        phrase={form.name.trim()}
        force={form.force}
        typed={form.typed}
        set={set}
      />
    </>
  );
}

type PartProps = Pick<Props, "projectId" | "form" | "set">;

/** The name, and what runs under it now. */
function NameField({ projectId, form, set, error }: PartProps & { error: unknown }) {
  const trpc = useTRPC();
  const running = useQuery(
    trpc.deployments.list.queryOptions({ projectId, status: "running", purpose: "service", limit: 100 }),
  );
  const replaced = running.data?.deployments.find(({ model }) => model === form.name.trim());
  return (
    <TextInput
      label="Name"
      required
      description={
        replaced === undefined ? (
          "The model name to use in calls."
        ) : (
          <>
            Replaces <Link href={deploymentHref(projectId, replaced.id)}>whatever runs under this name</Link>, once the
            new one responds.
          </>
        )
      }
      maxLength={63}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      data-autofocus
      value={form.name}
      error={form.name === "" ? fieldProblem(error, "/name") : (nameProblem(form.name) ?? fieldProblem(error, "/name"))}
      onChange={(event) => set({ name: event.currentTarget.value })}
    />
  );
}

function useTrainerList(projectId: string) {
  const trpc = useTRPC();
  return useQuery(trpc.trainers.list.queryOptions({ projectId })).data?.trainers ?? [];
}

function FormField({ projectId, form, set }: PartProps) {
  const trainers = useTrainerList(projectId);
  const option = (value: Quantization) => ({
    value,
    label: value,
    disabled: quantizationProblem(trainers, value) !== null,
  });
  const missing = missingWords(trainers, [...GGUF_QUANTIZATIONS, ...COMPRESSED_QUANTIZATIONS]);
  return (
    <NativeSelect
      size="sm"
      label="Format"
      description={missing || "Quantized formats need less memory but answer slightly differently."}
      inputWrapperOrder={["label", "input", "description"]}
      value={form.quantization ?? ""}
      onChange={(event) => {
        const value = event.currentTarget.value;
        const known = [...GGUF_QUANTIZATIONS, ...COMPRESSED_QUANTIZATIONS].find((one) => one === value);
        set({ quantization: known ?? null, backend: "auto", force: false, typed: "" });
      }}
      data={[
        { value: "", label: "As trained" },
        { group: "GGUF", items: GGUF_QUANTIZATIONS.map(option) },
        { group: "Compressed", items: COMPRESSED_QUANTIZATIONS.map(option) },
      ]}
    />
  );
}

const ORDER: readonly Backend[] = ["transformers", "llama.cpp", "vllm"];

function BackendField({
  projectId,
  form,
  set,
  checkpoint,
  error,
}: PartProps & { checkpoint: Checkpoint | undefined; error: unknown }) {
  const trainers = useTrainerList(projectId);
  return (
    <Radio.Group
      label="Served with"
      value={form.backend}
      error={fieldProblem(error, "/backend")}
      onChange={(value) => set({ backend: ORDER.find((one) => one === value) ?? "auto" })}
    >
      <Stack gap={8} mt={6}>
        <Radio
          value="auto"
          label="Automatic"
          description="Whatever serves this format best on the trainer’s machine."
        />
        {ORDER.map((backend) => {
          const problem = backendProblem(trainers, checkpoint, backend, form.quantization);
          return (
            <Radio
              key={backend}
              value={backend}
              disabled={problem !== null}
              label={BACKENDS[backend].label}
              description={problem ?? BACKENDS[backend].description}
            />
          );
        })}
      </Stack>
    </Radio.Group>
  );
}
