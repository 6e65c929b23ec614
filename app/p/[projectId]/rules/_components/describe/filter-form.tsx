import { Button, Group, MultiSelect, NumberInput, SimpleGrid, Stack, TagsInput, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import type { OwnDefinition, OwnFilter } from "@/server/services/diagnostics/own-rules/schemas";
import { failsWhenWords } from "../../evaluators/_components/words";
import { isTryable } from "./draft";

type Props = {
  projectId: string;
  draft: OwnDefinition;
  disabled: boolean;
  onChange: (change: Partial<OwnDefinition>) => void;
};

/** What code checks first, with what the description proposes. */
export function FilterForm({ projectId, draft, disabled, onChange }: Props) {
  const trpc = useTRPC();
  const { problem, appliesWhen, filter } = draft;
  const queries = useQueryClient();
  const propose = useMutation({
    mutationFn: () => queries.fetchQuery(trpc.rules.proposeFilter.queryOptions({ projectId, problem, appliesWhen })),
    onSuccess: ({ proposal }) => onChange({ filter: proposal.filter }),
  });
  const set = (change: Partial<OwnFilter>) => onChange({ filter: { ...filter, ...change } });
  const tools = propose.data?.proposal.tools ?? [];
  return (
    <Stack gap="md" maw={720}>
      <Text size="sm" c="dimmed">
        {draft.asks === 0
          ? "Checked by code, at no cost. Every conversation that passes is a match."
          : "Checked by code, at no cost, before a model is asked. A conversation that does not pass is not a match."}
      </Text>
      <Group gap="sm">
        <Button
          variant="default"
          loading={propose.isPending}
          disabled={disabled || !isTryable(draft)}
          onClick={() => propose.mutate()}
        >
          Propose from the description
        </Button>
      </Group>
      <Refused error={propose.error} />
      {propose.data ? <Proposed proposal={propose.data.proposal} /> : null}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TagsInput
          label="One of these tools was called"
          placeholder={filter.toolsCalled.length === 0 ? "Any or none" : ""}
          data={tools}
          value={filter.toolsCalled}
          disabled={disabled}
          onChange={(toolsCalled) => set({ toolsCalled })}
        />
        <TagsInput
          label="None of these tools was called"
          placeholder={filter.toolsNotCalled.length === 0 ? "Any or none" : ""}
          data={tools}
          value={filter.toolsNotCalled}
          disabled={disabled}
          onChange={(toolsNotCalled) => set({ toolsNotCalled })}
        />
        <TagsInput
          label="One of these words occurs"
          description="Whole words, case-insensitive, in any message."
          placeholder={filter.words.length === 0 ? "Any" : ""}
          value={filter.words}
          disabled={disabled}
          onChange={(words) => set({ words })}
        />
        <NumberInput
          label="Messages of the user"
          description="At least so many."
          min={0}
          max={1000}
          allowDecimal={false}
          clampBehavior="strict"
          value={filter.minUserMessages}
          disabled={disabled}
          onChange={(next) => typeof next === "number" && set({ minUserMessages: next })}
        />
        <EvaluatorsField
          projectId={projectId}
          value={filter.evaluators}
          disabled={disabled}
          onChange={(evaluators) => set({ evaluators })}
        />
      </SimpleGrid>
    </Stack>
  );
}

type EvaluatorsProps = {
  projectId: string;
  value: OwnFilter["evaluators"];
  disabled: boolean;
  onChange: (evaluators: OwnFilter["evaluators"]) => void;
};

/** The evaluators of which somebody said which results are bad. A version of the Rule keeps what was said when it was chosen. */
function EvaluatorsField({ projectId, value, disabled, onChange }: EvaluatorsProps) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.evaluators.list.queryOptions({ projectId }));
  const known = new Map([
    ...(data?.evaluators ?? []).flatMap(({ name, failsWhen }) => (failsWhen ? [[name, failsWhen] as const] : [])),
    ...value.map(({ name, failsWhen }) => [name, failsWhen] as const),
  ]);
  if (known.size === 0) return null;
  return (
    <MultiSelect
      label="One of these evaluators faults it"
      description={value.map(({ name, failsWhen }) => `${name}: ${failsWhenWords(failsWhen)}`).join(" ") || undefined}
      placeholder={value.length === 0 ? "Any or none" : ""}
      data={[...known.keys()]}
      value={value.map(({ name }) => name)}
      disabled={disabled}
      onChange={(names) => onChange(names.map((name) => ({ name, failsWhen: known.get(name)! })))}
    />
  );
}

function Proposed({ proposal }: { proposal: RouterOutputs["rules"]["proposeFilter"]["proposal"] }) {
  const { reasons, tools, conversationsRead } = proposal;
  return (
    <Text size="sm" role="status">
      {reasons.length > 0
        ? reasons.join(" ")
        : "The description names no tool and quotes no word, so nothing is left out."}{" "}
      <Text span size="sm" c="dimmed">
        {plural(tools.length, "tool")} known from the newest {plural(conversationsRead, "conversation")}.
      </Text>
    </Text>
  );
}
