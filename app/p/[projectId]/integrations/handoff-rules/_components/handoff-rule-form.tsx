"use client";
import {
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { createHandoffRuleInput, type HandoffRule } from "@/server/services/diagnostics/work-items/schemas";
import { SEVERITY_OPTIONS } from "../../../_components/findings/severity-words";
import { hasFields } from "../../../_components/work-items/tracker-words";
import type { TrackerConnection } from "../../../_components/work-items/use-trackers";
import { destinationProblem, TicketFields } from "../../_components/ticket-fields";
import { type TicketFieldsForm, useTicketFields } from "../../_components/use-ticket-fields";

type Option = { value: string; label: string };
type Tracker = Pick<TrackerConnection, "id" | "kind">;
type Props = {
  projectId: string;
  /** The rule being edited; `null` for a new one. */
  rule: HandoffRule | null;
  trackers: readonly Tracker[];
  trackerOptions: readonly Option[];
  rules: readonly Option[];
  onClose: () => void;
};

/** Creates or edits a handoff rule. */
export const HandoffRuleForm = ({ opened, ...rest }: Props & { opened: boolean }) => (
  <Modal opened={opened} onClose={rest.onClose} title={rest.rule ? `Edit “${rest.rule.name}”` : "Add handoff rule"}>
    <Fields key={rest.rule?.id ?? "new"} {...rest} />
  </Modal>
);

const inputOf = ({ destination, ...values }: Values) => ({ ...values, destination: destination.trim() || null });

function Fields({ projectId, rule, trackers, trackerOptions, rules, onClose }: Props) {
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: {
      name: rule?.name ?? "",
      connectionId: rule?.connectionId ?? trackers[0]?.id ?? "",
      destination: rule?.destination ?? "",
      minSeverity: rule?.minSeverity ?? "high",
      ruleIds: rule?.ruleIds ?? [],
      minConversations: rule?.minConversations ?? 5,
      confirmedOnly: rule?.confirmedOnly ?? false,
      dailyLimit: rule?.dailyLimit ?? 5,
    },
    validate: (values) =>
      Object.fromEntries(
        (createHandoffRuleInput.safeParse(inputOf(values)).error?.issues ?? []).map(({ path, message }) => [
          String(path[0]),
          message,
        ]),
      ),
  });
  const { connectionId, destination } = form.values;
  const withFields = trackers.some((tracker) => tracker.id === connectionId && hasFields(tracker));
  const ticketFields = useTicketFields({ projectId, connectionId: withFields ? connectionId : null, destination });
  const { save, error, atFields, isPending } = useSave({ projectId, rule, onClose }, ticketFields, (errors) =>
    form.setErrors(errors),
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void save(values))}>
      <Stack gap="md">
        {atFields ? null : <Refused error={error} />}
        <TextInput label="Name" required maxLength={120} data-autofocus {...form.getInputProps("name")} />
        <NativeSelect
          size="sm"
          label="Tracker"
          required
          data={[...trackerOptions]}
          {...form.getInputProps("connectionId")}
        />
        <TextInput
          label="Destination"
          description="Leave empty for the connection’s default."
          maxLength={200}
          {...form.getInputProps("destination")}
          error={form.getInputProps("destination").error ?? destinationProblem(ticketFields)}
        />
        {withFields ? <TicketFields form={ticketFields} /> : null}
        <NativeSelect
          size="sm"
          label="Minimum severity"
          data={SEVERITY_OPTIONS}
          {...form.getInputProps("minSeverity")}
        />
        <MultiSelect
          label="Rules"
          placeholder={form.values.ruleIds.length === 0 ? "All" : undefined}
          data={[...rules]}
          clearable
          searchable
          {...form.getInputProps("ruleIds")}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            label="Minimum conversations"
            min={1}
            max={1_000_000}
            allowDecimal={false}
            {...form.getInputProps("minConversations")}
          />
          <NumberInput
            label="Maximum tickets per day"
            min={1}
            max={1000}
            allowDecimal={false}
            {...form.getInputProps("dailyLimit")}
          />
        </SimpleGrid>
        <Checkbox label="Only confirmed Findings" {...form.getInputProps("confirmedOnly", { type: "checkbox" })} />
        <Text size="xs" c="dimmed">
          The rule never hands off Findings that are older than it or that only a backfill found.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {rule ? "Save handoff rule" : "Add handoff rule"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Values as their controls represent them; empty is "". */
type Values = Omit<HandoffRule, "id" | "enabled" | "destination" | "usedToday" | "createdAt" | "updatedAt"> & {
  destination: string;
};

function useSave(
  { projectId, rule, onClose }: Pick<Props, "projectId" | "rule" | "onClose">,
  ticketFields: TicketFieldsForm,
  setErrors: (errors: Record<string, string>) => void,
) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ handoffRule }: { handoffRule: { name: string } }) => {
      void queries.invalidateQueries({ queryKey: trpc.handoffRules.pathKey() });
      notifications.show({ message: `${rule ? "Saved" : "Added"} “${handoffRule.name}”.` });
      onClose();
    },
    onError: (error: unknown) =>
      setErrors(Object.fromEntries(problemOf(error).errors.map(({ path, message }) => [path.split("/")[1], message]))),
  };
  const create = useMutation(trpc.handoffRules.create.mutationOptions(after));
  const update = useMutation(trpc.handoffRules.update.mutationOptions(after));
  const error = create.error ?? update.error;

  /** Stores the fields' values first, because a rule is refused without those that its project requires. */
  async function save(values: Values) {
    if (!ticketFields.check()) return;
    await ticketFields.save();
    if (rule) await update.mutateAsync({ projectId, handoffRuleId: rule.id, ...inputOf(values) });
    else await create.mutateAsync({ projectId, ...inputOf(values) });
  }

  return {
    error,
    /** Field problems are shown at their fields. */
    atFields: error !== null && problemOf(error).errors.length > 0,
    isPending: create.isPending || update.isPending || ticketFields.isPending,
    // The form shows what was refused.
    save: (values: Values) => save(values).catch(() => {}),
  };
}
