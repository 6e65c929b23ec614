"use client";
import { Button, NativeSelect, NumberInput, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { PageHeader } from "@/app/_components/layout/page-header";
import { capitalized } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { EFFORTS, type RecordedTurn, type Variant } from "@/server/services/proof/variants/schemas";
import type { VariantDraft } from "../../../_components/variants/draft";
import { variantHref } from "../../../_components/variants/hrefs";
import { type Endpoint, endpointGroups } from "../../../_components/variants/use-endpoints";
import { PromptChange } from "../../../_components/variants/variant-change";
import { basedOnOf, changeOf, initialValues } from "./form-values";
import classes from "./new-variant.module.css";
import { TriedTurn } from "./tried-turn";

type Props = {
  projectId: string;
  endpoints: readonly Endpoint[];
  turns: readonly RecordedTurn[];
  /** Why there are no turns. */
  problem: string | null;
  /** The version to start from. */
  from: Variant | null;
  /** What the playground carries over. */
  draft: VariantDraft | null;
  findingId: string | null;
};

/** The change on one side and what it makes of recorded answers on the other. */
export function VariantEditor({ projectId, endpoints, turns, problem, from, draft, findingId }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const [at, setAt] = useState(0);
  const [seen, setSeen] = useState<readonly string[]>([]);
  const turn = turns[at];
  const [start] = useState(() => ({ from, draft, turn: turns[0], endpoints }));
  const basedOn = basedOnOf(start);
  const form = useForm({
    mode: "controlled",
    initialValues: initialValues(start),
    validate: {
      name: (value) => (value.trim() === "" ? "Enter a name." : null),
      model: (value) => (value.trim() === "" ? "Enter the model’s name." : null),
    },
  });
  const { values } = form;
  const endpointAt = (key: string) => endpoints.find((one) => one.key === key);
  const chosen = endpointAt(values.endpoint);
  const hasOwnModel = chosen?.connectionId === null;
  // Deployments and base models have a model of their own; back at a connection, the recorded one is asked again.
  const choose = (key: string) => {
    const next = endpointAt(key);
    if (next?.connectionId === null) form.setFieldValue("model", next.model ?? "");
    else if (hasOwnModel) form.setFieldValue("model", turns[0]?.model ?? next?.model ?? "");
    form.setFieldValue("endpoint", key);
  };
  const save = useMutation(
    trpc.variants.create.mutationOptions({
      onSuccess: ({ variant }) => {
        notifications.show({ message: `Saved “${variant.name}”, version ${variant.version}` });
        router.push(variantHref(projectId, variant.id));
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.variants.pathKey() }),
    }),
  );
  // Whoever wrote a variant with a conversation has taught it: a proof leaves out those that were on the screen.
  const shown = [...new Set([...(from?.seenConversationIds ?? []), ...seen, ...(turn ? [turn.conversationId] : [])])];
  const send = form.onSubmit((checked) =>
    save.mutate({
      projectId,
      name: checked.name.trim(),
      note: checked.note.trim(),
      findingId,
      seenConversationIds: shown,
      ...changeOf(checked, basedOn, endpoints),
    }),
  );
  const show = (next: number) => {
    if (turn) setSeen([...seen, turn.conversationId]);
    setAt(next);
  };
  return (
    <form noValidate onSubmit={send} className={classes.form}>
      <PageHeader
        title={from === null ? "New variant" : `New version of “${from.name}”`}
        aside={
          <Button type="submit" loading={save.isPending}>
            Save variant
          </Button>
        }
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.columns} tabIndex={0} aria-label="The variant, scrollable">
        <Stack gap="md" className={classes.change}>
          <Refused error={save.error} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Name"
              required
              maxLength={120}
              placeholder="Ask before cancelling"
              {...form.getInputProps("name")}
            />
            <TextInput label="What it is meant to change" maxLength={2000} {...form.getInputProps("note")} />
            <NativeSelect
              size="sm"
              label="Answered by"
              description={
                chosen?.baseModel ? "A trainer serves it while it is tried and proven. It takes no traffic." : null
              }
              data={endpointGroups(endpoints)}
              value={values.endpoint}
              onChange={({ currentTarget: { value } }) => choose(value)}
            />
            <TextInput label="Model" required maxLength={200} disabled={hasOwnModel} {...form.getInputProps("model")} />
          </SimpleGrid>
          <Textarea
            label="System prompt"
            description={
              basedOn === null
                ? "It replaces whatever is recorded. Leave it empty to keep that."
                : "Where a conversation has other values filled in, the same change is made to its own prompt."
            }
            autosize
            minRows={8}
            maxRows={24}
            classNames={{ input: "mono" }}
            {...form.getInputProps("systemPrompt")}
          />
          {values.systemPrompt === (basedOn ?? "") ? null : (
            <PromptChange basedOn={basedOn} systemPrompt={values.systemPrompt} />
          )}
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput
              label="Temperature"
              placeholder="The endpoint’s"
              min={0}
              max={2}
              step={0.1}
              {...form.getInputProps("temperature")}
            />
            <NumberInput
              label="Most tokens of an answer"
              placeholder="4,096"
              min={1}
              max={100_000}
              {...form.getInputProps("maxTokens")}
            />
            <NativeSelect
              size="sm"
              label="Reasoning effort"
              data={[
                { value: "", label: "The endpoint’s" },
                ...EFFORTS.map((value) => ({ value, label: capitalized(value) })),
              ]}
              {...form.getInputProps("reasoningEffort")}
            />
          </SimpleGrid>
          {values.tools.length === 0 ? null : (
            <section aria-label="Descriptions of tools">
              <Text size="sm" fw={600} mb="xs">
                Descriptions of tools
              </Text>
              <Stack gap="sm">
                {values.tools.map(({ name }, nth) => (
                  <Textarea
                    key={name}
                    label={name}
                    autosize
                    minRows={1}
                    maxRows={8}
                    {...form.getInputProps(`tools.${nth}.description`)}
                  />
                ))}
              </Stack>
            </section>
          )}
        </Stack>
        <div className={classes.turns}>
          {turn ? (
            <TriedTurn
              key={`${turn.conversationId} ${turn.messageIndex}`}
              projectId={projectId}
              turn={turn}
              place={{ at, of: turns.length, show }}
              change={changeOf(values, basedOn, endpoints)}
            />
          ) : (
            <p className={classes.quiet}>
              {problem ??
                "Open this page from a Finding or from an answer of a conversation to try a variant while you write it."}
            </p>
          )}
        </div>
      </section>
    </form>
  );
}
