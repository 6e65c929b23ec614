"use client";
import {
  Button,
  Checkbox,
  Group,
  Input,
  Modal,
  NativeSelect,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { quoted } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import {
  CONNECTION_KINDS,
  type Connection,
  createConnectionForm,
  defaultBaseUrl,
  updateConnectionForm,
} from "@/server/services/connections/schemas";
import { hasFields } from "../../_components/work-items/tracker-words";
import { createInputOf, type FormValues, fieldName, isAppConnection, updateInputOf, valuesOf } from "./form-values";
import { KIND_WORDS } from "./kind-words";
import { SettingsFields } from "./settings-fields";
import { type TicketFieldsForm, useTicketFields } from "./use-ticket-fields";

type Props = {
  projectId: string;
  /** The connection being edited; `null` for a new one. */
  connection: Connection | null;
  onClose: () => void;
  /** Continues with a new connection whose project requires fields, which can only be asked for now. */
  onContinue: (connection: Connection) => void;
};

/** Creates or edits a connection. */
export const ConnectionForm = ({ opened, ...rest }: Props & { opened: boolean }) => (
  <Modal
    opened={opened}
    onClose={rest.onClose}
    title={rest.connection ? `Edit ${quoted(rest.connection.name)}` : "Add connection"}
    size="lg"
  >
    <Fields key={rest.connection?.id ?? "new"} {...rest} />
  </Modal>
);

function Fields({ projectId, connection, onClose, onContinue }: Props) {
  const form = useForm<FormValues>({
    mode: "controlled",
    initialValues: valuesOf(connection),
    validate: (values) => {
      const parsed = connection
        ? updateConnectionForm.safeParse(updateInputOf(connection.id, values))
        : createConnectionForm.safeParse(createInputOf(values));
      return Object.fromEntries((parsed.error?.issues ?? []).map(({ path, message }) => [fieldName(path), message]));
    },
  });
  const { kind, settings } = form.values;
  const defaultUrl = defaultBaseUrl(kind, settings);
  const ticketFields = useTicketFields({
    projectId,
    connectionId: connection?.secretSet && hasFields(connection) ? connection.id : null,
    destination: String(settings.defaultDestination ?? ""),
    issueType: String(settings.issueType ?? ""),
  });
  const save = useSave({ projectId, connection, onClose, onContinue }, ticketFields, (errors) =>
    form.setErrors(errors),
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void save.send(values))}>
      <Stack gap="md">
        {save.atFields ? null : <Refused error={save.error} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            size="sm"
            label="Kind"
            description={KIND_WORDS[kind].description}
            disabled={connection !== null}
            data={CONNECTION_KINDS.map((value) => ({ value, label: KIND_WORDS[value].label }))}
            {...form.getInputProps("kind")}
          />
          <TextInput
            label="Name"
            description="How it is shown in this project."
            required
            maxLength={120}
            data-autofocus
            {...form.getInputProps("name")}
          />
        </SimpleGrid>
        <TextInput
          label="Base URL"
          type="url"
          inputMode="url"
          required={defaultUrl === null}
          placeholder={defaultUrl ?? KIND_WORDS[kind].addressExample}
          maxLength={2000}
          {...form.getInputProps("baseUrl")}
        />
        <SecretFields form={form} connection={connection} />
        <SettingsFields
          projectId={projectId}
          kind={kind}
          form={form}
          connection={connection}
          ticketFields={ticketFields}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {connection ? "Save connection" : "Add connection"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type SecretProps = { form: UseFormReturnType<FormValues>; connection: Connection | null };

const STORED = "Stored: leave empty to keep it";

function SecretFields({ form, connection }: SecretProps) {
  const { kind, forgetSecret, asApp } = form.values;
  const isApp = kind === "github" && asApp;
  const shared = {
    // A stored token cannot serve as a private key, nor a key as a token.
    placeholder: connection?.secretSet && asApp === isAppConnection(connection) ? STORED : undefined,
    maxLength: 8000,
    disabled: forgetSecret,
    ...form.getInputProps("secret"),
  };
  return (
    <>
      {kind === "github" ? (
        <Input.Wrapper label="Sign in with" labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label="Sign in with"
            value={asApp ? "app" : "token"}
            onChange={(value) => form.setValues({ asApp: value === "app", secret: "" })}
            data={[
              { value: "token", label: "Token" },
              { value: "app", label: "GitHub App" },
            ]}
          />
        </Input.Wrapper>
      ) : null}
      {isApp ? (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label="App ID"
              description="On the App's settings page; its client ID works too."
              maxLength={100}
              required
              {...form.getInputProps("settings.appId")}
            />
            <TextInput
              label="Installation ID"
              description="The number at the end of the installation's address."
              inputMode="numeric"
              maxLength={20}
              required
              {...form.getInputProps("settings.installationId")}
            />
          </SimpleGrid>
          <Textarea
            label="Private key"
            description="The whole .pem file that GitHub gave you. Stored encrypted, and never shown again."
            autoComplete="off"
            spellCheck={false}
            autosize
            minRows={3}
            maxRows={6}
            {...shared}
          />
        </>
      ) : (
        <PasswordInput
          label={KIND_WORDS[kind].secretLabel}
          description={`${KIND_WORDS[kind].secretHelp} Stored encrypted, and never shown again.`}
          autoComplete="new-password"
          {...shared}
        />
      )}
      {connection?.secretSet ? (
        <Checkbox label="Remove the stored secret" {...form.getInputProps("forgetSecret", { type: "checkbox" })} />
      ) : null}
    </>
  );
}

function useSave(
  { projectId, connection, onClose, onContinue }: Props,
  ticketFields: TicketFieldsForm,
  setErrors: (errors: Record<string, string>) => void,
) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: () => void queries.invalidateQueries({ queryKey: trpc.connections.pathKey() }),
    onError: (error: unknown) =>
      setErrors(Object.fromEntries(problemOf(error).errors.map(({ path, message }) => [fieldName(path), message]))),
  };
  const create = useMutation(trpc.connections.create.mutationOptions(after));
  const update = useMutation(trpc.connections.update.mutationOptions(after));
  const error = create.error ?? update.error;

  /** Returns whether a new connection's project requires fields. What prevents reading them is shown by its test. */
  async function requiresFields(connection: Connection): Promise<boolean> {
    const { id, secretSet, settings } = connection;
    if (!hasFields(connection) || !secretSet || !("defaultDestination" in settings) || !settings.defaultDestination)
      return false;
    const options = trpc.connections.getTicketFields.queryOptions({ projectId, connectionId: id });
    const read = await queries.fetchQuery({ ...options, retry: false }).catch(() => undefined);
    return read?.ticketFields.fields.some(({ required }) => required) === true;
  }

  async function send(values: FormValues) {
    const saved = connection
      ? await update.mutateAsync({ projectId, ...updateInputOf(connection.id, values) })
      : await create.mutateAsync({ projectId, ...createInputOf(values) });
    await ticketFields.save();
    notifications.show({ message: `${connection ? "Saved" : "Added"} ${quoted(saved.connection.name)}` });
    if (connection === null && (await requiresFields(saved.connection))) onContinue(saved.connection);
    else onClose();
  }

  return {
    error,
    /** Field problems are shown at their fields. */
    atFields: error !== null && problemOf(error).errors.length > 0,
    isPending: create.isPending || update.isPending || ticketFields.isPending,
    // The form shows what was refused.
    send: (values: FormValues) => send(values).catch(() => {}),
  };
}
