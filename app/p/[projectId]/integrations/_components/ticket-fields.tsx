"use client";
import {
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { fieldProblem } from "@/app/_lib/problem";
import type { TicketField } from "@/server/services/connections/schemas";
import type { FieldControl } from "./ticket-field-values";
import type { TicketFieldsForm } from "./use-ticket-fields";

/** The fields that a Jira project asks for when a ticket is created. */
export function TicketFields({ form }: { form: TicketFieldsForm }) {
  const { query, read } = form;
  if (!form.isOffered)
    return (
      <Quiet>Fields that the project requires are asked for here once the connection is saved with its secret.</Quiet>
    );
  // A problem with the destination is shown at its field.
  if (destinationProblem(form) !== null) return null;
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  if (!read) return <Skeleton height={64} role="status" aria-label="Reading the project’s fields" />;
  if (read.issueType === null) return null;
  const shown = read.fields.filter(({ id, required, value }) => required || value !== null || form.isShown(id));
  const others = read.fields.filter((field) => !shown.includes(field));
  const tickets = `${read.issueType} tickets in ${read.destination}`;
  return (
    <section aria-label="Ticket fields">
      <Text size="sm" fw={500}>
        Fields of {tickets}
      </Text>
      <Stack gap="sm" mt={6}>
        {form.error ? <Refused error={form.error} /> : null}
        {shown.length === 0 ? <Quiet>They require no fields beyond those that Whetstone fills in.</Quiet> : null}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {shown.map((field) => (
            <Field key={field.id} field={field} form={form} />
          ))}
        </SimpleGrid>
        {others.length > 0 ? (
          <Select
            size="sm"
            aria-label="Add another field"
            placeholder="Add another field"
            searchable
            limit={100}
            value={null}
            data={others.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => {
              if (id !== null) form.enter(id, form.control(id));
            }}
          />
        ) : null}
      </Stack>
    </section>
  );
}

/** Returns what is wrong with the destination or the issue type whose fields were to be read; `null` if nothing is. */
export const destinationProblem = ({ query }: TicketFieldsForm) => fieldProblem(query.error, "/destination");

const Quiet = ({ children }: { children: React.ReactNode }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
);

type Control = (props: {
  /** Of all controls. */
  shared: { label: string; required: boolean; error: string | undefined };
  options: { value: string; label: string }[];
  value: FieldControl;
  enter: (value: FieldControl) => void;
}) => React.ReactNode;

const listOf = (value: FieldControl) => (Array.isArray(value) ? value : []);
const OneOf: Control = ({ shared, options, value, enter }) => (
  <Select
    size="sm"
    {...shared}
    data={options}
    searchable
    clearable
    limit={100}
    value={value === "" ? null : String(value)}
    onChange={(id) => enter(id ?? "")}
  />
);
const Line: Control = ({ shared, value, enter }) => (
  <TextInput
    {...shared}
    maxLength={2000}
    value={String(value)}
    onChange={(event) => enter(event.currentTarget.value)}
  />
);

const CONTROLS: Record<NonNullable<TicketField["type"]>, Control> = {
  text: Line,
  number: ({ shared, value, enter }) => (
    <NumberInput {...shared} value={Array.isArray(value) ? "" : value} onChange={enter} />
  ),
  option: OneOf,
  options: ({ shared, options, value, enter }) => (
    <MultiSelect {...shared} data={options} searchable clearable limit={100} value={listOf(value)} onChange={enter} />
  ),
  labels: ({ shared, value, enter }) => <TagsInput {...shared} clearable value={listOf(value)} onChange={enter} />,
  // Without the permission to see users, there is only the id.
  user: (props) =>
    props.options.length > 0 ? (
      <OneOf {...props} />
    ) : (
      <Line {...props} shared={{ ...props.shared, label: `${props.shared.label} (account ID)` }} />
    ),
};

function Field({ field, form }: { field: TicketField; form: TicketFieldsForm }) {
  const { id, name, type, trackerType, required } = field;
  if (type === null)
    return (
      <Text size="sm">
        Whetstone cannot fill in “{name}” ({trackerType}). Give it a default value in Jira, or choose another issue
        type.
      </Text>
    );
  const Input = CONTROLS[type];
  return (
    <Input
      shared={{ label: name, required, error: form.problemOf(id) }}
      options={field.options.map((option) => ({ value: option.id, label: option.name }))}
      value={form.control(id)}
      enter={(value) => form.enter(id, value)}
    />
  );
}
