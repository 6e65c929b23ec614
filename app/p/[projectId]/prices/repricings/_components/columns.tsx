"use client";
import { Button, Progress, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListColumn } from "@/app/_components/data-table/types";
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
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  running: { word: "Running", color: "var(--severity-low)", hollow: true },
  completed: { word: "Done", color: "var(--state-ok)", hollow: false },
  failed: { word: "Failed", color: "var(--severity-critical)", hollow: false },
  undoing: { word: "Undoing", color: "var(--severity-low)", hollow: true },
  undone: { word: "Undone", color: "var(--severity-info)", hollow: false },
};

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

/** `busy`: a repricing is in progress, so another one has to wait. */
export const columnsOf = (projectId: string, busy: boolean): ListColumn<Repricing>[] => [
  {
    id: "state",
    header: "State",
    accessorFn: ({ state }) => STATE[state].word,
    cell: ({ row }) => <State repricing={row.original} />,
  },
  {
    id: "calls",
    header: "Calls of",
    meta: { link: true },
    cell: ({ row }) => {
      const { days, of } = whichCalls(row.original);
      return (
        <>
          {days}
          {of === "" ? null : (
            <Text size="xs" c="dimmed">
              {of}
            </Text>
          )}
        </>
      );
    },
  },
  {
    id: "changed",
    header: "Changed",
    accessorFn: ({ callsChanged }) => callsChanged,
    cell: ({ row }) => <Changed repricing={row.original} />,
  },
  {
    id: "before",
    header: "Cost before",
    accessorFn: ({ costBefore }) => costBefore ?? undefined,
    meta: { align: "end", roomy: true },
    cell: ({ row: { original } }) => <CostTotal usd={original.costBefore} unpriced={original.unknownBefore} below />,
  },
  {
    id: "after",
    header: "Cost after",
    accessorFn: ({ costAfter }) => costAfter ?? undefined,
    meta: { align: "end", roomy: true },
    cell: ({ row: { original } }) => <CostTotal usd={original.costAfter} unpriced={original.unknownAfter} below />,
  },
  {
    id: "by",
    header: "By",
    accessorFn: ({ createdAt }) => createdAt,
    meta: { roomy: true },
    cell: ({ row: { original } }) => (
      <>
        {original.actorName ?? original.actorId ?? "the operator"}
        <Text size="xs" c="dimmed">
          <Ago at={original.createdAt} />
        </Text>
      </>
    ),
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true },
    cell: ({ row }) => <Undo projectId={projectId} repricing={row.original} busy={busy} />,
  },
];

const Changed = ({ repricing: { state, callsChanged, callsRestored, callsKept } }: { repricing: Repricing }) => (
  <span className="tabular">
    {plural(callsChanged, "call")}
    {state === "undone" ? (
      <Text size="xs" c="dimmed">
        {formatCount(callsRestored)} restored
        {callsKept > 0 ? `, ${formatCount(callsKept)} changed again since and left as they are` : ""}
      </Text>
    ) : null}
  </span>
);

function Undo({ projectId, repricing, busy }: { projectId: string; repricing: Repricing; busy: boolean }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("model-pricing:write");
  const undo = useMutation(
    trpc.repricings.undo.mutationOptions({
      onSuccess: () => void queries.invalidateQueries({ queryKey: trpc.repricings.pathKey() }),
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
    }),
  );
  if (!may || repricing.state !== "completed" || repricing.callsChanged === 0) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      disabled={busy}
      loading={undo.isPending}
      onClick={() => undo.mutate({ projectId, repricingId: repricing.id })}
    >
      Undo
    </Button>
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
            aria-label="Calls checked"
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
