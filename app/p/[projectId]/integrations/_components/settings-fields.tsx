"use client";
import { NativeSelect, NumberInput, SimpleGrid, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ConnectionKind } from "@/server/services/connections/schemas";
import type { FormValues } from "./form-values";

type Form = UseFormReturnType<FormValues>;

/** The settings of the chosen kind. */
export function SettingsFields({ kind, form }: { kind: ConnectionKind; form: Form }) {
  if (kind === "model") return <ModelFields form={form} />;
  if (kind === "webhook") return <WebhookFields form={form} />;
  return kind === "model-hub" ? null : <TrackerFields form={form} kind={kind} />;
}

const ModelFields = ({ form }: { form: Form }) => (
  <>
    <TextInput
      label="Default model"
      description="Asked where nobody names one."
      maxLength={200}
      {...form.getInputProps("settings.defaultModel")}
    />
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <NumberInput
        label="Calls a day, at most"
        placeholder="No limit"
        min={0}
        allowDecimal={false}
        {...form.getInputProps("settings.dailyCalls")}
      />
      <NumberInput
        label="Tokens a day, at most"
        placeholder="No limit"
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        {...form.getInputProps("settings.dailyTokens")}
      />
      <NumberInput
        label="US dollars a day, at most"
        placeholder="No limit"
        min={0}
        {...form.getInputProps("settings.dailyUsd")}
      />
    </SimpleGrid>
  </>
);

const WebhookFields = ({ form }: { form: Form }) => (
  <NativeSelect
    size="sm"
    label="Format"
    data={[
      { value: "signed", label: "Signed JSON (Standard Webhooks)" },
      { value: "slack", label: "Slack message" },
    ]}
    {...form.getInputProps("settings.format")}
  />
);

const DESTINATIONS: Partial<Record<ConnectionKind, string>> = {
  github: "owner/repository",
  gitlab: "group/project",
  linear: "A team's key, such as ENG",
  jira: "A project's key, such as OPS",
};

const STATES = [
  { name: "openStates", label: "States that mean open" },
  { name: "closedStates", label: "States that mean closed" },
] as const;

const TrackerFields = ({ form, kind }: { form: Form; kind: ConnectionKind }) => (
  <>
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label="Default destination"
        placeholder={DESTINATIONS[kind]}
        maxLength={200}
        {...form.getInputProps("settings.defaultDestination")}
      />
      {kind === "jira" ? (
        <TextInput
          label="Issue type"
          placeholder="Task"
          maxLength={200}
          {...form.getInputProps("settings.issueType")}
        />
      ) : null}
    </SimpleGrid>
    <TagsInput label="Labels" clearable {...form.getInputProps("settings.labels")} />
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {STATES.map(({ name, label }) => (
        <TagsInput key={name} label={label} clearable {...form.getInputProps(`settings.${name}`)} />
      ))}
    </SimpleGrid>
    <TextInput label="Title template" maxLength={500} {...form.getInputProps("settings.titleTemplate")} />
    <Textarea
      label="Body template"
      autosize
      minRows={2}
      maxRows={8}
      maxLength={20_000}
      {...form.getInputProps("settings.bodyTemplate")}
    />
  </>
);
