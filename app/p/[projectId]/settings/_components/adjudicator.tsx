"use client";
import { NativeSelect, NumberInput, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { formatCount, formatUsd, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";

const DESCRIPTION =
  "Rules set to “Ask the adjudicator” ask this model about what they cannot settle on their own. It reads the conversations in question. Without one, they leave those Signals out.";
const BUDGET_MS = 15_000;

/** Which model connection settles ambiguous Signals, and what it has used today. */
export function Adjudicator({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("diagnostics:write");
  const settings = useQuery(trpc.diagnosticSettings.get.queryOptions({ projectId }, { refetchInterval: BUDGET_MS }));
  const connections = useQuery(trpc.connections.list.queryOptions({ projectId, limit: 100 }));
  const update = useMutation(
    trpc.diagnosticSettings.update.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.diagnosticSettings.pathKey() }),
    }),
  );
  const failed = settings.error ?? connections.error;
  if (!settings.data || !connections.data) {
    return failed ? (
      <ErrorState error={failed} onRetry={() => void Promise.all([settings.refetch(), connections.refetch()])} />
    ) : (
      <Skeleton height={48} role="status" aria-label="Loading the adjudicator" />
    );
  }
  const models = connections.data.connections.filter(({ kind }) => kind === "model");
  const chosen = update.isPending
    ? (update.variables.adjudicatorConnectionId ?? null)
    : settings.data.settings.adjudicatorConnectionId;
  const isGone = chosen !== null && !models.some(({ id }) => id === chosen);
  return (
    <>
      <NativeSelect
        size="sm"
        label="Adjudicator"
        description={DESCRIPTION}
        disabled={!may}
        value={chosen ?? ""}
        onChange={(event) => update.mutate({ projectId, adjudicatorConnectionId: event.currentTarget.value || null })}
        data={[
          { value: "", label: models.length === 1 ? `The only model connection (${models[0]?.name})` : "None" },
          ...models.map(({ id, name }) => ({ value: id, label: name })),
          ...(isGone ? [{ value: chosen, label: "A deleted connection: choose another" }] : []),
        ]}
      />
      <Refused error={update.error} />
      <Text size="xs" c="dimmed" mt="sm">
        {models.length === 0 ? (
          <>
            This project has no model connection. Add one under{" "}
            <Link href={`/p/${projectId}/integrations`}>Integrations</Link>.
          </>
        ) : settings.data.adjudicator ? (
          usageWords(settings.data.adjudicator)
        ) : (
          "No adjudicator is in use."
        )}
      </Text>
      <CacheDays projectId={projectId} saved={settings.data.settings.adjudicationCacheDays} />
    </>
  );
}

/** How many days an answer is cached. Saved when the field loses the focus. */
function CacheDays({ projectId, saved }: { projectId: string; saved: number }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("diagnostics:write");
  const [days, setDays] = useState<number | string>(saved);
  const update = useMutation(
    trpc.diagnosticSettings.update.mutationOptions({
      onSuccess: () => notifications.show({ message: `Answers are reused for ${plural(Number(days), "day")}` }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.diagnosticSettings.pathKey() }),
    }),
  );
  const save = () => {
    if (typeof days !== "number") setDays(saved);
    else if (days !== saved) update.mutate({ projectId, adjudicationCacheDays: days });
  };
  return (
    <>
      <NumberInput
        mt="md"
        w={280}
        label="Reuse answers for"
        description="Older answers are deleted, and the question is asked again when it comes up."
        suffix=" days"
        min={1}
        max={3650}
        allowDecimal={false}
        clampBehavior="strict"
        disabled={!may || update.isPending}
        value={days}
        onChange={setDays}
        onBlur={save}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      />
      <Refused error={update.error} />
    </>
  );
}

type Limits = { calls: number | null; tokens: number | null; usd: number | null };
type Used = { calls: number; tokens: number; usd: number; unpricedCalls: number };

/** “Today (UTC): 12 of 100 calls, 4,200 tokens, $0.03 of $5.00”. */
function usageWords({ usedToday, dailyLimits }: { usedToday: Used; dailyLimits: Limits }) {
  const of = (used: string, limit: string | null) => (limit === null ? used : `${used} of ${limit}`);
  const { calls, tokens, usd, unpricedCalls } = usedToday;
  const parts = [
    `${of(formatCount(calls), dailyLimits.calls === null ? null : formatCount(dailyLimits.calls))} calls`,
    `${of(formatCount(tokens), dailyLimits.tokens === null ? null : formatCount(dailyLimits.tokens))} tokens`,
    of(formatUsd(usd), dailyLimits.usd === null ? null : formatUsd(dailyLimits.usd)),
  ];
  const unknown = unpricedCalls > 0 ? ` without ${plural(unpricedCalls, "call")} of unknown price` : "";
  return `Today (UTC): ${parts.join(", ")}${unknown}`;
}
