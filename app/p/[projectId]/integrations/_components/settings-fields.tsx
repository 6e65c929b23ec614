"use client";
import { NativeSelect, NumberInput, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import {
  type Connection,
  type ConnectionKind,
  MODEL_DIALECTS,
  type ModelDialectName,
} from "@/server/services/connections/schemas";
import type { FormValues } from "./form-values";
import { TrackerFields } from "./tracker-fields";
import type { TicketFieldsForm } from "./use-ticket-fields";

type Form = UseFormReturnType<FormValues>;

type Props = {
  projectId: string;
  kind: ConnectionKind;
  form: Form;
  connection: Connection | null;
  ticketFields: TicketFieldsForm;
};

/** The settings of the chosen kind. */
export function SettingsFields({ kind, form, ...rest }: Props) {
  if (kind === "model") return <ModelFields form={form} />;
  if (kind === "webhook") return <WebhookFields form={form} />;
  return kind === "model-hub" ? <HubFields form={form} /> : <TrackerFields form={form} kind={kind} {...rest} />;
}

const ModelFields = ({ form }: { form: Form }) => (
  <>
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NativeSelect
        size="sm"
        label="API"
        description="The endpoint’s own; calls are translated."
        data={Object.entries(MODEL_DIALECTS).map(([value, { label }]) => ({ value, label }))}
        {...form.getInputProps("settings.dialect")}
        onChange={(event) => chooseApi(form, event.currentTarget.value as ModelDialectName)}
      />
      <TextInput
        label="Default model"
        description="Used when no model is specified."
        maxLength={200}
        {...form.getInputProps("settings.defaultModel")}
      />
    </SimpleGrid>
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <NumberInput
        label="Maximum calls per day"
        placeholder="No limit"
        min={0}
        allowDecimal={false}
        {...form.getInputProps("settings.dailyCalls")}
      />
      <NumberInput
        label="Maximum tokens per day"
        placeholder="No limit"
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        {...form.getInputProps("settings.dailyTokens")}
      />
      <NumberInput
        label="Maximum US dollars per day"
        placeholder="No limit"
        min={0}
        {...form.getInputProps("settings.dailyUsd")}
      />
    </SimpleGrid>
  </>
);

/** The address that stands for one API is not that of another; one of the user's own stays. */
function chooseApi(form: Form, dialect: ModelDialectName) {
  const isDefault = Object.values(MODEL_DIALECTS).some(({ baseUrl }) => baseUrl === form.values.baseUrl);
  if (isDefault) form.setFieldValue("baseUrl", MODEL_DIALECTS[dialect].baseUrl);
  form.setFieldValue("settings.dialect", dialect);
}

const HubFields = ({ form }: { form: Form }) => (
  <NativeSelect
    size="sm"
    label="Used to"
    description="Downloads are of gated and private base models, for this project's training only."
    data={[
      { value: "publish", label: "Publish models" },
      { value: "download", label: "Download base models" },
      { value: "both", label: "Publish and download" },
    ]}
    {...form.getInputProps("settings.use")}
  />
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
