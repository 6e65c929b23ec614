"use client";
import { Button, Group, Modal, NumberInput, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { shareOf } from "./words";

const LISTED = 200;
const SHARE = 10;

/** What is known of it before: the alias, or the variant. */
type Known = { alias: { id: string; name: string } } | { variant: { id: string; name: string; version: number } };
type Props = { projectId: string; subject: Known | null; onClose: () => void };

/** Asks for what is missing to try a variant on a share of an alias's conversations. */
export function StartExperiment({ projectId, subject, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(subject);
  if (subject !== null && subject !== shown) setShown(subject);
  return (
    <Modal opened={subject !== null} onClose={onClose} title={shown === null ? "" : titleOf(shown)}>
      {shown === null ? null : <Fields projectId={projectId} known={shown} onClose={onClose} />}
    </Modal>
  );
}

const titleOf = (known: Known) =>
  "alias" in known ? `Try a variant on “${known.alias.name}”` : `Try “${known.variant.name}” on a share of traffic`;

function Fields({ projectId, known, onClose }: { projectId: string; known: Known; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [share, setShare] = useState<number | string>(SHARE);
  const start = useMutation(
    trpc.gatewayExperiments.start.mutationOptions({
      onSuccess: ({ experiment }) => {
        void queries.invalidateQueries({ queryKey: trpc.gatewayExperiments.pathKey() });
        void queries.invalidateQueries({ queryKey: trpc.gatewayAliases.pathKey() });
        notifications.show({ message: `Started the experiment ${experiment.name}` });
        onClose();
      },
    }),
  );
  const percent = shareOf(share);
  const [gatewayAliasId, variantId] = "alias" in known ? [known.alias.id, chosen] : [chosen, known.variant.id];
  const submit = () => {
    if (gatewayAliasId !== null && variantId !== null && percent !== null)
      start.mutate({ projectId, gatewayAliasId, variantId, share: percent });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <Refused error={start.error} />
        {"alias" in known ? (
          <ChooseVariant projectId={projectId} value={chosen} onChange={setChosen} />
        ) : (
          <ChooseAlias projectId={projectId} value={chosen} onChange={setChosen} />
        )}
        <NumberInput
          label="Share of conversations"
          description="Of those that begin from now on."
          suffix="%"
          min={0}
          max={100}
          required
          allowDecimal={false}
          allowNegative={false}
          value={share}
          onChange={setShare}
          error={percent === null ? "Enter a whole number from 0 to 100." : null}
        />
        <Text size="sm" c="dimmed">
          A conversation stays in the arm that it gets first. The variant’s model is asked first, and the alias’s own
          models stand in for it. A call that the change of the prompt does not fit is sent as it is, and counted.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={start.isPending}
            disabled={gatewayAliasId === null || variantId === null || percent === null}
          >
            Start experiment
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Choice = { projectId: string; value: string | null; onChange: (value: string | null) => void };

function ChooseVariant({ projectId, value, onChange }: Choice) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.variants.list.queryOptions({ projectId, limit: LISTED }));
  const variants = data?.variants ?? [];
  return (
    <>
      <Refused error={error} />
      <Select
        label="Variant"
        description={
          data && variants.length === 0 ? "None yet: write one from a Finding or an answer, and prove it first." : null
        }
        required
        searchable
        data-autofocus
        disabled={variants.length === 0}
        data={variants.map(({ id, name, version, model }) => ({ value: id, label: `${name} ${version} · ${model}` }))}
        value={value}
        onChange={onChange}
      />
    </>
  );
}

function ChooseAlias({ projectId, value, onChange }: Choice) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.gatewayAliases.list.queryOptions({ projectId, limit: LISTED }));
  const aliases = data?.aliases ?? [];
  return (
    <>
      <Refused error={error} />
      <Select
        label="Alias"
        description={
          data && aliases.length === 0
            ? "None yet: create one on the page Gateway, and have your application call it."
            : null
        }
        required
        searchable
        data-autofocus
        disabled={aliases.length === 0}
        data={aliases.map(({ id, name, experiment }) => ({
          value: id,
          label: experiment ? `${name} · ${experiment.name} runs` : name,
          disabled: experiment !== null,
        }))}
        value={value}
        onChange={onChange}
      />
    </>
  );
}
