"use client";
import {
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Stack,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import {
  createNotificationRuleInput,
  type NotificationRule,
  noticeKind,
} from "@/server/services/notifications/schemas";
import { SEVERITY_OPTIONS } from "../../../_components/findings/severity-words";
import { NOTICE_WORDS } from "./notice-words";

type Option = { value: string; label: string };
type Props = {
  projectId: string;
  /** The rule being edited; `null` for a new one. */
  rule: NotificationRule | null;
  webhooks: readonly Option[];
  rules: readonly Option[];
  onClose: () => void;
};

/** Creates or edits a notification rule. */
export const NotificationForm = ({ opened, ...rest }: Props & { opened: boolean }) => (
  <Modal opened={opened} onClose={rest.onClose} title={rest.rule ? `Edit “${rest.rule.name}”` : "Add notification"}>
    <Fields key={rest.rule?.id ?? "new"} {...rest} />
  </Modal>
);

function Fields({ projectId, rule, webhooks, rules, onClose }: Props) {
  const form = useForm({
    mode: "controlled",
    initialValues: {
      name: rule?.name ?? "",
      connectionId: rule?.connectionId ?? webhooks[0]?.value ?? "",
      kinds: rule?.kinds ?? [...noticeKind.options],
      minSeverity: rule?.minSeverity ?? ("medium" as const),
      ruleIds: rule?.ruleIds ?? [],
      minConversations: rule?.minConversations ?? 1,
    },
    validate: (values) =>
      Object.fromEntries(
        (createNotificationRuleInput.safeParse(values).error?.issues ?? []).map(({ path, message }) => [
          String(path[0]),
          message,
        ]),
      ),
  });
  const { save, error, isPending } = useSave({ projectId, rule, onClose });
  return (
    <form noValidate onSubmit={form.onSubmit(save)}>
      <Stack gap="md">
        <Refused error={error} />
        <TextInput label="Name" required maxLength={120} data-autofocus {...form.getInputProps("name")} />
        <NativeSelect size="sm" label="Webhook" required data={[...webhooks]} {...form.getInputProps("connectionId")} />
        <Checkbox.Group
          label="Announce a Finding that is"
          description="Each is announced once. Findings from a backfill never are."
          {...form.getInputProps("kinds")}
        >
          <Group gap="md" mt={6}>
            {noticeKind.options.map((kind) => (
              <Checkbox key={kind} value={kind} label={NOTICE_WORDS[kind]} />
            ))}
          </Group>
        </Checkbox.Group>
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
        <NumberInput
          label="Minimum conversations for new Findings"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps("minConversations")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {rule ? "Save notification" : "Add notification"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Values = Omit<NotificationRule, "id" | "enabled" | "createdAt" | "updatedAt">;

function useSave({ projectId, rule, onClose }: Pick<Props, "projectId" | "rule" | "onClose">) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ notificationRule }: { notificationRule: { name: string } }) => {
      void queries.invalidateQueries({ queryKey: trpc.notificationRules.pathKey() });
      notifications.show({ message: `${rule ? "Saved" : "Added"} “${notificationRule.name}”.` });
      onClose();
    },
  };
  const create = useMutation(trpc.notificationRules.create.mutationOptions(after));
  const update = useMutation(trpc.notificationRules.update.mutationOptions(after));
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    save: (values: Values) =>
      rule
        ? update.mutate({ projectId, notificationRuleId: rule.id, ...values })
        : create.mutate({ projectId, ...values }),
  };
}
