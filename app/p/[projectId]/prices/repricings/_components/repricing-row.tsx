"use client";
import { Button, Progress, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ListColumn, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatDay, plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { useMay } from "../../../_components/access/membership";

type Repricing = RouterOutputs["repricings"]["get"]["repricing"];

const STATE: Record<Repricing["state"], { word: string; color: string; hollow: boolean }> = {
  queued: { word: "Waiting", color: "var(--severity-info)", hollow: true },
  running: { word: "Under way", color: "var(--severity-low)", hollow: true },
  completed: { word: "Done", color: "var(--state-ok)", hollow: false },
  failed: { word: "Failed", color: "var(--severity-critical)", hollow: false },
  undoing: { word: "Being undone", color: "var(--severity-low)", hollow: true },
  undone: { word: "Undone", color: "var(--severity-info)", hollow: false },
};

export const COLUMNS: ListColumn[] = [
  { label: "State" },
  { label: "Calls of" },
  { label: "Changed" },
  { label: "Cost before", roomy: true },
  { label: "Cost after", roomy: true },
  { label: "By", roomy: true },
  { label: null },
];

function whichCalls({ from, to, model, vendor, modelPriceId, onlyUnpriced }: Repricing) {
  const of = [
    model,
    vendor && (VENDOR_WORDS[vendor as keyof typeof VENDOR_WORDS] ?? vendor),
    modelPriceId,
    onlyUnpriced ? "without a known cost" : null,
  ].filter(Boolean);
  return {
    days: from === 0 ? `until ${formatDay(to, 0)}` : `${formatDay(from, 0)} – ${formatDay(to, 0)}`,
    of: of.join(", "),
  };
}

/** A repricing: its progress, its result, and undo. */
export function RepricingRow(props: { projectId: string; repricing: Repricing; index: number; busy: boolean }) {
  const { projectId, repricing, index, busy } = props;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("model-pricing:write");
  const undo = useMutation(
    trpc.repricings.undo.mutationOptions({
      onSuccess: () => void queries.invalidateQueries({ queryKey: trpc.repricings.pathKey() }),
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
    }),
  );
  const { days, of } = whichCalls(repricing);
  const { callsChanged, callsRestored, callsKept } = repricing;
  return (
    <ListRow index={index}>
      <Table.Td>
        <State repricing={repricing} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {days}
        {of === "" ? null : (
          <Text size="xs" c="dimmed">
            {of}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="tabular">
        {plural(callsChanged, "call")}
        {repricing.state === "undone" ? (
          <Text size="xs" c="dimmed">
            {formatCount(callsRestored)} as before
            {callsKept > 0 ? `, ${formatCount(callsKept)} changed again since then and left` : ""}
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td {...ROOMY}>
        <CostTotal usd={repricing.costBefore} unpriced={repricing.unknownBefore} below />
      </Table.Td>
      <Table.Td {...ROOMY}>
        <CostTotal usd={repricing.costAfter} unpriced={repricing.unknownAfter} below />
      </Table.Td>
      <Table.Td {...ROOMY}>
        <Text size="sm" span style={{ overflowWrap: "anywhere" }}>
          {repricing.actorName ?? repricing.actorId ?? "the operator"}
        </Text>
        <Text size="xs" c="dimmed">
          <Ago at={repricing.createdAt} />
        </Text>
      </Table.Td>
      <Table.Td ta="end">
        {may && repricing.state === "completed" && callsChanged > 0 ? (
          <Button
            variant="default"
            size="compact-xs"
            disabled={busy}
            loading={undo.isPending}
            onClick={() => undo.mutate({ projectId, repricingId: repricing.id })}
          >
            Undo
          </Button>
        ) : null}
      </Table.Td>
    </ListRow>
  );
}

/** Its state, its progress while it runs, and why it failed. */
function State({ repricing }: { repricing: Repricing }) {
  const { state, callsExamined, callsExpected, error } = repricing;
  const { word, color, hollow } = STATE[state];
  return (
    <>
      <Dot color={color} hollow={hollow}>
        {word}
      </Dot>
      {state === "running" || state === "queued" ? (
        <>
          <Progress
            mt={4}
            size="xs"
            w={120}
            value={callsExpected === 0 ? 0 : Math.min(100, (100 * callsExamined) / callsExpected)}
            aria-label="Calls looked at"
          />
          <Text size="xs" c="dimmed">
            {formatCount(callsExamined)} of about {formatCount(callsExpected)}
          </Text>
        </>
      ) : null}
      {error === null ? null : (
        <Text size="xs" c="var(--mantine-color-error)" maw="20rem" style={{ overflowWrap: "anywhere" }}>
          {error}
        </Text>
      )}
    </>
  );
}
