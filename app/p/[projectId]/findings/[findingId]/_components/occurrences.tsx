"use client";
import { Button, Group } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListAction, ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { formatCount } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { Confidence } from "@/app/p/[projectId]/_components/findings/confidence";
import { useMay } from "../../../_components/access/membership";
import { type AddSelection, AddToDatasets } from "../../../_components/datasets/add-to-datasets";
import { OCCURRENCES_ID } from "./finding-facts";
import classes from "./finding-page.module.css";
import { occurrencesInput } from "./occurrences-input";
import { SplitOff } from "./split-off";
import { useFindingChanges } from "./use-review";
import { turnHref } from "./why";

type Occurrence = RouterOutputs["findings"]["occurrences"]["occurrences"][number];

const quoteOf = ({ evidence, summary }: Occurrence) => evidence[0]?.quote.trim() || summary;
const conversationOf = ({ conversationExternalId, conversationId }: Occurrence) =>
  conversationExternalId ?? conversationId;

/** The maximum number of conversations that one request turns into Examples. */
const EXAMPLES_MAX = 100;

const COLUMNS: ListColumn<Occurrence>[] = [
  { id: "when", header: "When", meta: { width: "6.5rem" }, cell: ({ row }) => <Ago at={row.original.detectedAt} /> },
  { id: "evidence", header: "Evidence", meta: { link: true }, cell: ({ row }) => quoteOf(row.original) },
  {
    id: "conversation",
    header: "Conversation",
    meta: { width: "11rem", roomy: true },
    cell: ({ row }) => (
      <span className="mono" title={conversationOf(row.original)}>
        {conversationOf(row.original)}
      </span>
    ),
  },
  {
    id: "cost",
    header: "Cost",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row: { original } }) => (
      <CostTotal
        usd={original.conversationCost}
        unpriced={original.conversationUnpricedCallCount}
        note="known costs of the conversation"
        below
      />
    ),
  },
  {
    id: "sure",
    header: "Confidence",
    meta: { width: "8.5rem", align: "end", roomy: true },
    cell: ({ row: { original } }) => <Confidence value={original.confidence} grounds={original.confidenceBasis} />,
  },
];

/** Every conversation with the Finding, linked to the turn that shows it. */
export function Occurrences({ projectId, findingId, count }: { projectId: string; findingId: string; count: number }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.findings.occurrences.infiniteQueryOptions(occurrencesInput(projectId, findingId), nextPage),
  );
  const may = useMay("diagnostics:write");
  const mayTrain = useMay("models:manage");
  const [adding, setAdding] = useState<AddSelection | null>(null);
  const { splitOff } = useFindingChanges(projectId);
  const split: ListAction<Occurrence> = {
    id: "split",
    label: "Split into a new Finding",
    key: "s",
    run: async ({ rows: chosen }) => {
      const { finding, undo } = await splitOff(findingId, { occurrences: chosen.map(({ id }) => id) });
      return { said: <SplitOff projectId={projectId} finding={finding} count={chosen.length} />, undo };
    },
  };
  const addToDatasets: ListAction<Occurrence> = {
    id: "datasets",
    label: "Add to Datasets…",
    key: "d",
    run: async ({ rows: chosen }) => {
      setAdding({
        conversationIds: [...new Set(chosen.map(({ conversationId }) => conversationId))].slice(0, EXAMPLES_MAX),
      });
      return null;
    },
  };
  const rows = list.data?.pages.flatMap((page) => page.occurrences) ?? [];
  return (
    <section id={OCCURRENCES_ID}>
      <Group justify="space-between" mb={8}>
        <h2 className={classes.heading}>Affected conversations ({formatCount(count)})</h2>
        {mayTrain && count > 0 ? (
          <Button variant="default" size="compact-sm" onClick={() => setAdding({ findingId })}>
            Add to Datasets…
          </Button>
        ) : null}
      </Group>
      <DataList
        embedded
        list={list}
        name="Occurrences"
        what="conversation"
        columns={COLUMNS}
        actions={[...(may && count > 1 ? [split] : []), ...(mayTrain ? [addToDatasets] : [])]}
        rows={rows}
        rowId={({ id }) => id}
        rowName={conversationOf}
        rowHref={(row) => turnHref(projectId, row.conversationId, row.evidence[0])}
        rowHeight={36}
        minWidth={560}
        empty={<p className={classes.quiet}>None left.</p>}
      />
      <AddToDatasets projectId={projectId} selection={adding} onClose={() => setAdding(null)} />
    </section>
  );
}
