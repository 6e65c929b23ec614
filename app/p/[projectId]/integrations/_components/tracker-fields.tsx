"use client";
import { NativeSelect, SimpleGrid, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Connection, TrackerKind, TrackerSettings } from "@/server/services/connections/schemas";
import { TRACKER_WORDS } from "../../_components/work-items/tracker-words";
import type { FormValues } from "./form-values";
import { TemplatePreview, useTemplatePreview } from "./template-preview";
import { destinationProblem, TicketFields } from "./ticket-fields";
import type { TicketFieldsForm } from "./use-ticket-fields";

const ON_REGRESSION: { value: TrackerSettings["onRegression"]; label: string }[] = [
  { value: "reopen", label: "Reopen the ticket" },
  { value: "new_ticket", label: "Create a new ticket" },
  { value: "comment", label: "Only comment" },
];
const ON_RESOLUTION: { value: TrackerSettings["onResolution"]; label: string }[] = [
  { value: "close", label: "Close the ticket" },
  { value: "comment", label: "Only comment" },
];
const STATES = [
  { name: "openStates", label: "States that mean open" },
  { name: "closedStates", label: "States that mean closed" },
] as const;

type Props = {
  projectId: string;
  kind: TrackerKind;
  form: UseFormReturnType<FormValues>;
  connection: Connection | null;
  ticketFields: TicketFieldsForm;
};

/** Where tickets go, what they contain, and how they are kept in sync with their Findings. */
export function TrackerFields({ projectId, kind, form, connection, ticketFields }: Props) {
  const { titleTemplate, bodyTemplate } = form.values.settings;
  const preview = useTemplatePreview({
    projectId,
    kind,
    connectionId: connection?.secretSet ? connection.id : null,
    titleTemplate: String(titleTemplate ?? ""),
    bodyTemplate: String(bodyTemplate ?? ""),
  });
  const { hasFields, example, label: tracker } = TRACKER_WORDS[kind];
  const input = (name: string) => form.getInputProps(`settings.${name}`);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Default destination"
          placeholder={example}
          maxLength={200}
          {...input("defaultDestination")}
          error={input("defaultDestination").error ?? destinationProblem(ticketFields)}
        />
        {hasFields ? <TextInput label="Issue type" placeholder="Task" maxLength={200} {...input("issueType")} /> : null}
      </SimpleGrid>
      {hasFields && (connection === null || form.values.settings.defaultDestination) ? (
        <TicketFields form={ticketFields} />
      ) : null}
      <TagsInput label="Labels" clearable {...input("labels")} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NativeSelect size="sm" label="When a Finding regresses" data={ON_REGRESSION} {...input("onRegression")} />
        <NativeSelect
          size="sm"
          label="When a Finding is resolved here"
          data={ON_RESOLUTION}
          {...input("onResolution")}
        />
        {STATES.map(({ name, label }) => (
          <TagsInput
            key={name}
            label={label}
            description={`Defaults to those of ${tracker}.`}
            clearable
            {...input(name)}
          />
        ))}
      </SimpleGrid>
      <TextInput
        label="Title template"
        description="Liquid, such as {{ finding.title }}. Leave empty for the default."
        maxLength={500}
        {...input("titleTemplate")}
        error={preview.titleProblem ?? input("titleTemplate").error}
      />
      <Textarea
        label="Body template"
        description="Liquid, with finding, occurrences and project. Leave empty for the default."
        autosize
        minRows={2}
        maxRows={8}
        maxLength={20_000}
        {...input("bodyTemplate")}
        error={preview.bodyProblem ?? input("bodyTemplate").error}
      />
      <TemplatePreview {...preview} />
    </>
  );
}
