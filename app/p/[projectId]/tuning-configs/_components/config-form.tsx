"use client";
import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { formatExact } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useDatasets } from "../../_components/datasets/use-datasets";
import { nameFrom, nameProblem } from "../../_components/serving/deploy-form";
import { PlannedExportFields } from "../../_components/serving/planned-export";
import { ADAPTERS, METHODS } from "../../_components/training/words";
import { BASIC } from "../../training/new/_components/setting-fields";
import { SettingInput } from "../../training/new/_components/setting-input";
import { withSetting } from "../../training/new/_components/settings-step";
import { cronWords, nextTimes } from "./cron-words";
import { checkpointIn, EMPTY, type FormValues, inputOf, valuesOf } from "./form-values";
import { NEW } from "./view";

type Props = {
  projectId: string;
  /** A configuration's id, or `new`; `null` while closed. */
  editing: string | null;
  onClose: () => void;
};

/** Creates or edits a tuning configuration. */
export const ConfigForm = ({ projectId, editing, onClose }: Props) => (
  <Modal
    opened={editing !== null}
    onClose={onClose}
    title={editing === NEW ? "New configuration" : "Edit configuration"}
    size="xl"
  >
    {editing === null ? null : editing === NEW ? (
      <Fields projectId={projectId} configId={null} initial={EMPTY} onClose={onClose} />
    ) : (
      <Stored projectId={projectId} configId={editing} onClose={onClose} />
    )}
  </Modal>
);

function Stored({ projectId, configId, onClose }: { projectId: string; configId: string; onClose: () => void }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.tuningConfigs.get.queryOptions({ projectId, configId }));
  if (query.data) {
    return (
      <Fields projectId={projectId} configId={configId} initial={valuesOf(query.data.tuningConfig)} onClose={onClose} />
    );
  }
  return query.error ? (
    <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
  ) : (
    <Skeleton height={320} />
  );
}

type FieldsProps = { projectId: string; configId: string | null; initial: FormValues; onClose: () => void };
type SetValues = (change: Partial<FormValues>) => void;

function Fields({ projectId, configId, initial, onClose }: FieldsProps) {
  const [values, setAll] = useState(initial);
  const set: SetValues = (change) => setAll((before) => ({ ...before, ...change }));
  const save = useSave(projectId, configId, onClose);
  const times = values.scheduled ? nextTimes(values.cron, Date.now()) : [];
  const ready =
    values.name.trim() !== "" &&
    values.datasetId !== "" &&
    values.base.trim() !== "" &&
    times !== null &&
    (values.servedName === "" || nameProblem(values.servedName) === null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) save.send(values);
      }}
    >
      <Stack gap="lg">
        <WhatFields projectId={projectId} values={values} set={set} error={save.error} />
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} style={{ alignItems: "end" }}>
          {BASIC.filter(({ when }) => when?.(values) ?? true).map((field) => (
            <SettingInput
              key={`${field.part}.${field.name}`}
              field={field}
              of={values}
              value={(values.settings[field.part] as Record<string, unknown> | undefined)?.[field.name]}
              onChange={(value) => set({ settings: withSetting(values.settings, field.part, field.name, value) })}
            />
          ))}
        </SimpleGrid>
        <TriggerFields values={values} set={set} times={times} />
        <DeploymentFields values={values} set={set} />
        <PlannedExportFields
          projectId={projectId}
          value={values.settings.output?.export}
          onChange={(value) => set({ settings: withSetting(values.settings, "output", "export", value) })}
        />
        <Refused error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!ready}>
            {configId === null ? "Create configuration" : "Save configuration"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type PartProps = { values: FormValues; set: SetValues };

function WhatFields({ projectId, values, set, error }: PartProps & { projectId: string; error: unknown }) {
  const trpc = useTRPC();
  const datasets = useDatasets(projectId);
  const models = useQuery(trpc.baseModels.list.queryOptions({ projectId }));
  const known = models.data?.baseModels ?? [];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label="Name"
        required
        maxLength={200}
        data-autofocus
        value={values.name}
        error={fieldProblem(error, "/name")}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <NativeSelect
        size="sm"
        label="Dataset"
        required
        value={values.datasetId}
        error={fieldProblem(error, "/datasetId")}
        onChange={(event) => set({ datasetId: event.currentTarget.value })}
        data={[
          { value: "", label: "Choose a Dataset" },
          ...(datasets.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []),
        ]}
      />
      <Autocomplete
        label="Model"
        description={
          checkpointIn(values.base) === null ? "From the catalogue, or added to this project." : "A checkpoint."
        }
        required
        maxLength={500}
        value={values.base}
        data={[...new Set(known.map(({ id }) => id))]}
        onChange={(base) => {
          const model = known.find(({ id }) => id === base);
          set({ base, source: model?.source ?? "hub", revision: model?.revision ?? null });
        }}
      />
      <SimpleGrid cols={2}>
        <NativeSelect
          size="sm"
          label="Method"
          description="What it optimizes."
          value={values.method}
          onChange={(event) => set({ method: event.currentTarget.value as FormValues["method"] })}
          data={(Object.keys(METHODS) as FormValues["method"][]).map((value) => ({
            value,
            label: METHODS[value].label,
          }))}
        />
        <NativeSelect
          size="sm"
          label="Weights to train"
          description="An adapter, or all."
          value={values.adapter}
          onChange={(event) => set({ adapter: event.currentTarget.value as FormValues["adapter"] })}
          data={(Object.keys(ADAPTERS) as FormValues["adapter"][]).map((value) => ({
            value,
            label: ADAPTERS[value].name,
          }))}
        />
      </SimpleGrid>
    </SimpleGrid>
  );
}

function TriggerFields({ values, set, times }: PartProps & { times: readonly number[] | null }) {
  return (
    <Stack gap="sm">
      <Checkbox
        label="Start automatically"
        description="One run at a time, and never twice on the same Examples."
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      {values.enabled ? (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} style={{ alignItems: "end" }}>
            <Whole
              label="New Examples"
              description="Minimum since the last run"
              min={1}
              max={1_000_000}
              value={values.minNewExamples}
              onChange={(minNewExamples) => set({ minNewExamples })}
            />
            <Whole
              label="Cooldown"
              description="Minutes between starts"
              min={0}
              max={525_600}
              value={values.cooldownMinutes}
              onChange={(cooldownMinutes) => set({ cooldownMinutes })}
            />
            <Whole
              label="Daily cap"
              description="Runs per day (UTC)"
              min={1}
              max={100}
              value={values.dailyCap}
              onChange={(dailyCap) => set({ dailyCap })}
            />
          </SimpleGrid>
          <Checkbox
            label="Only on a schedule"
            description="Otherwise as soon as there are enough Examples."
            checked={values.scheduled}
            onChange={(event) => set({ scheduled: event.currentTarget.checked })}
          />
          {values.scheduled ? (
            <div>
              <TextInput
                label="Schedule"
                description="Cron, in UTC: minute, hour, day, month, weekday."
                maw={320}
                maxLength={100}
                value={values.cron}
                error={times === null ? "Enter five fields, such as 0 3 * * 1." : null}
                onChange={(event) => set({ cron: event.currentTarget.value })}
              />
              {times === null ? null : (
                <Text size="sm" mt={4} role="status" aria-label="What the schedule means" suppressHydrationWarning>
                  {cronWords(values.cron)}.{" "}
                  {times.length === 0
                    ? "This time never occurs."
                    : `Next: ${times.map((at) => formatExact(at, "UTC")).join("; ")}.`}
                </Text>
              )}
            </div>
          ) : null}
        </>
      ) : null}
    </Stack>
  );
}

/** Which finished runs are deployed automatically. */
function DeploymentFields({ values, set }: PartProps) {
  return (
    <Stack gap="sm">
      <Checkbox
        label="Deploy automatically"
        description="Once a run has succeeded and passed these checks."
        checked={values.deploys}
        onChange={(event) => set({ deploys: event.currentTarget.checked })}
      />
      {values.deploys ? (
        <SimpleGrid cols={{ base: 1, xs: 3 }} style={{ alignItems: "end" }}>
          <TextInput
            label="Name"
            description="The model’s name in calls"
            maxLength={63}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder={nameFrom(values.name)}
            value={values.servedName}
            error={values.servedName === "" ? null : nameProblem(values.servedName)}
            onChange={(event) => set({ servedName: event.currentTarget.value })}
          />
          <Percent
            label="Loss may rise by"
            description="Validation loss, compared with the deployed model"
            max={1000}
            value={values.maxLossIncrease}
            onChange={(maxLossIncrease) => set({ maxLossIncrease })}
          />
          <Percent
            label="Right answers may drop by"
            description="Points, shown on held-out Examples: 5 take 52 of them without a loss, 10 take 25"
            max={100}
            value={values.maxPreserveDrop}
            onChange={(maxPreserveDrop) => set({ maxPreserveDrop })}
          />
        </SimpleGrid>
      ) : null}
    </Stack>
  );
}

type PercentProps = {
  label: string;
  description: string;
  max: number;
  value: number;
  onChange: (value: number) => void;
};

const Percent = ({ onChange, ...rest }: PercentProps) => (
  <NumberInput
    size="sm"
    {...rest}
    min={0}
    suffix=" %"
    decimalScale={2}
    clampBehavior="strict"
    onChange={(value) => onChange(Number(value) || 0)}
  />
);

type WholeProps = {
  label: string;
  description: string;
  min: number;
  max: number;
  value: number;
  onChange: (value: number) => void;
};

const Whole = ({ min, onChange, ...rest }: WholeProps) => (
  <NumberInput
    size="sm"
    {...rest}
    min={min}
    allowDecimal={false}
    clampBehavior="strict"
    onChange={(value) => onChange(Number(value) || min)}
  />
);

function useSave(projectId: string, configId: string | null, onClose: () => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ tuningConfig }: { tuningConfig: { name: string } }) => {
      void queries.invalidateQueries({ queryKey: trpc.tuningConfigs.pathKey() });
      notifications.show({ message: `Saved “${tuningConfig.name}”` });
      onClose();
    },
  };
  const create = useMutation(trpc.tuningConfigs.create.mutationOptions(after));
  const update = useMutation(trpc.tuningConfigs.update.mutationOptions(after));
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    send: (values: FormValues) =>
      configId === null
        ? create.mutate({ projectId, ...inputOf(values) })
        : update.mutate({ projectId, configId, ...inputOf(values) }),
  };
}
