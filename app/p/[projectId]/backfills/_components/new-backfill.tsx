"use client";
import { Alert, Button, Group, Modal, NativeSelect, NumberInput, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { formatCount, formatDuration, formatUsd, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { BackfillPreview } from "@/server/services/diagnostics/backfills/schemas";
import { DEFAULT_MAXIMUM, type View, windowOf } from "./view";

const DEBOUNCE_MS = 300;

type Props = { projectId: string; view: View; setView: (view: Partial<View>) => unknown; onClose: () => void };

/** Chooses Rule, window and maximum of a backfill, previews it, and starts it. */
export const NewBackfill = ({ onClose, ...rest }: Props) => (
  <Modal opened={rest.view.new !== null} onClose={onClose} title="New backfill" size="lg">
    {rest.view.new === null ? null : <Fields {...rest} ruleId={rest.view.new} onClose={onClose} />}
  </Modal>
);

function Fields({ projectId, view, setView, ruleId, onClose }: Props & { ruleId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data } = useQuery(trpc.rules.list.queryOptions({ projectId }));
  const rule = data?.rules.find(({ id }) => id === ruleId);
  // One moment for the preview and the backfill started from it.
  const [now] = useState(() => Date.now());
  const [debounced] = useDebouncedValue(view, DEBOUNCE_MS);
  const input = { projectId, ruleId: debounced.new ?? ruleId, ...windowOf(debounced, now) };
  const isValid = input.startMs < input.endMs && input.maxConversations >= 1;
  const preview = useQuery(
    trpc.backfills.preview.queryOptions(input, { enabled: isValid, placeholderData: keepPreviousData }),
  );
  const create = useMutation(
    trpc.backfills.create.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.backfills.pathKey() });
        notifications.show({ message: "Started the backfill. It continues when you leave this page." });
        onClose();
      },
    }),
  );
  const found = preview.data?.preview;
  const isStale = preview.isPlaceholderData || debounced !== view;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid && !isStale) create.mutate(input);
      }}
    >
      <Stack gap="md">
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label="Rule"
            data-autofocus
            value={ruleId}
            onChange={(event) => setView({ new: event.currentTarget.value })}
            data={
              data?.rules.map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` })) ?? [
                ruleId,
              ]
            }
          />
          <TimeRangePicker
            what="Active"
            value={view}
            onChange={({ range, from, to }) => setView({ range: range ?? "custom", from, to })}
          />
          <NumberInput
            size="xs"
            label="At most"
            suffix=" conversations"
            w={190}
            min={1}
            max={10_000_000}
            thousandSeparator=","
            allowDecimal={false}
            value={view.max}
            onChange={(value) => setView({ max: Number(value) || DEFAULT_MAXIMUM })}
          />
        </Group>
        {rule && !rule.enabled ? (
          <Alert color="yellow" p="xs">
            This Rule is turned off. Turn it on under Rules, then start the backfill.
          </Alert>
        ) : null}
        {!isValid ? (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            The window ends before it starts. Choose a later end.
          </Text>
        ) : preview.error ? (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
        ) : found ? (
          <Preview preview={found} />
        ) : (
          <Text size="sm" c="dimmed" role="status">
            Counting conversations…
          </Text>
        )}
        <Refused error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={!found || isStale || found.runs === 0 || rule?.enabled === false}
          >
            Start backfill
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What the backfill would do, how long it would take and what it would cost. */
function Preview({ preview }: { preview: BackfillPreview }) {
  const { conversations, complete, runs, alreadyRead, repeats, redoesEverything, rate, rateFrom, expectedMs } = preview;
  const newest = complete ? "" : `, of the newest ${formatCount(runs + alreadyRead)}`;
  if (conversations === 0) {
    return (
      <Text size="sm" role="status">
        No conversation was active in this window.
      </Text>
    );
  }
  return (
    <Stack gap={4} role="status" aria-label="Preview">
      <Text size="sm">
        {plural(conversations, "conversation")} {conversations === 1 ? "was" : "were"} active in this window.
      </Text>
      <Text size="sm">
        {formatCount(runs)} would be checked{newest}; {formatCount(alreadyRead)} {alreadyRead === 1 ? "has" : "have"}{" "}
        been checked with these settings and would be skipped.
      </Text>
      {redoesEverything ? (
        <Alert color="yellow" p="xs" my={4}>
          This checks all of them again: the Rule already checked them with other settings, or before they continued.
        </Alert>
      ) : repeats > 0 ? (
        <Text size="sm">
          {formatCount(repeats)} of them would be checked again: they were checked with other settings, or before they
          continued.
        </Text>
      ) : null}
      {runs > 0 ? (
        <Text size="sm">
          About {formatDuration(Math.max(1000, expectedMs))} at {formatCount(Math.round(rate))} conversations a second (
          {rateFrom === "project" ? "measured in this project" : "from the benchmark"}).
        </Text>
      ) : null}
      {runs > 0 ? <Text size="sm">{adjudicationWords(preview)}</Text> : null}
      <Text size="xs" c="dimmed">
        Backfills send no alerts.
      </Text>
    </Stack>
  );
}

/** What asking the adjudicator would cost, or why it is not asked. */
function adjudicationWords({ adjudicationCost: cost, adjudication }: BackfillPreview): string {
  const { reason, model, questions, questionsAllowed, limitedBy, conversationsSampled } = adjudication;
  if (reason === "deterministic-only") return "This Rule leaves ambiguous Signals out, so no adjudicator is asked.";
  if (reason === "no-adjudicator") return "No adjudicator is connected, so ambiguous Signals are left out.";
  if (reason === "no-model")
    return "Neither the Rule nor its adjudicator specifies a model, so ambiguous Signals are left out.";
  if (questions === 0) return `No questions to ${model} are expected.`;
  const questionsWords = `${plural(questions, "question")} to ${model}`;
  if (reason === "no-price" || cost === null)
    return `About ${questionsWords}, whose price is not known. Add it under Prices.`;
  const sampled = `estimated from ${plural(conversationsSampled, "conversation")}`;
  if (limitedBy === null) return `About ${formatUsd(cost)} for ${questionsWords} (${sampled}).`;
  return `About ${formatUsd(cost)}: today’s budget allows ${formatCount(questionsAllowed)} of ${questionsWords} (${sampled}).`;
}
