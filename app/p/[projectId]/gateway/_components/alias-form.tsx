"use client";
import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import {
  FIRST_TOKEN_SECONDS_MAX,
  type GatewayAlias,
  RETRIES_MAX,
  TOTAL_SECONDS_MAX,
} from "@/server/services/gateway/aliases/schemas";
import type { ModelConnection } from "../../_components/variants/use-model-connections";
import { aliasOf, type FormValues, initialValues, problemsOf } from "./form-values";
import { TargetFields } from "./target-fields";

type Props = {
  projectId: string;
  alias: GatewayAlias | "new" | null;
  connections: readonly ModelConnection[];
  onClose: () => void;
};

/** Creates or edits an alias. */
export function AliasForm({ projectId, alias, connections, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(alias);
  if (alias !== null && alias !== shown) setShown(alias);
  const edited = shown === "new" ? null : shown;
  return (
    <Modal
      opened={alias !== null}
      onClose={onClose}
      title={edited ? `Edit “${edited.name}”` : "New alias"}
      size="lg"
      closeOnClickOutside={false}
    >
      <Fields
        key={edited?.id ?? "new"}
        projectId={projectId}
        alias={edited}
        connections={connections}
        onClose={onClose}
      />
    </Modal>
  );
}

function Fields({ projectId, alias, connections, onClose }: Props & { alias: GatewayAlias | null }) {
  const form = useForm<FormValues>({
    mode: "controlled",
    initialValues: initialValues(alias, connections),
    validate: problemsOf,
  });
  const { save, error, isPending } = useSave({ projectId, alias, onClose });
  const whole = { allowDecimal: false, allowNegative: false, hideControls: true } as const;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save(aliasOf(values)))}>
      <Stack gap="md">
        <Refused error={error} />
        <TextInput
          label="Name"
          description="What applications send as “model”."
          placeholder="fast"
          required
          maxLength={100}
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TargetFields form={form} connections={connections} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <NumberInput
            label="Retries of each model"
            description="Before the next one is asked."
            max={RETRIES_MAX}
            {...whole}
            {...form.getInputProps("retries")}
          />
          <NumberInput
            label="Maximum output tokens"
            description="For calls that set no limit."
            placeholder="as the model has it"
            {...whole}
            {...form.getInputProps("maxOutputTokens")}
          />
          <NumberInput
            label="First content within"
            description="Of a streamed answer, else the next model."
            placeholder="no limit"
            suffix=" s"
            max={FIRST_TOKEN_SECONDS_MAX}
            {...whole}
            {...form.getInputProps("firstTokenSeconds")}
          />
          <NumberInput
            label="Whole call within"
            description="With all its attempts."
            placeholder="no limit"
            suffix=" s"
            max={TOTAL_SECONDS_MAX}
            {...whole}
            {...form.getInputProps("totalSeconds")}
          />
        </SimpleGrid>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {alias ? "Save alias" : "Create alias"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave({ projectId, alias, onClose }: Pick<Props, "projectId" | "onClose"> & { alias: GatewayAlias | null }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ alias: saved }: { alias: { name: string } }) => {
      void queries.invalidateQueries({ queryKey: trpc.gatewayAliases.pathKey() });
      notifications.show({ message: `${alias ? "Saved" : "Created"} “${saved.name}”` });
      onClose();
    },
  };
  const create = useMutation(trpc.gatewayAliases.create.mutationOptions(after));
  const update = useMutation(trpc.gatewayAliases.update.mutationOptions(after));
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    save: (values: ReturnType<typeof aliasOf>) =>
      alias
        ? update.mutate({ projectId, gatewayAliasId: alias.id, ...values })
        : create.mutate({ projectId, ...values }),
  };
}
