"use client";
import { Button, Group, Progress, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListAction, ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatDay, plural } from "@/app/_lib/format";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { CollectionPass } from "@/server/services/collection/passes/schemas";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { useMay } from "../../../../_components/access/membership";
import classes from "../../../_components/collection/collection.module.css";
import { CountsByReason } from "../../../_components/collection/counts-by-reason";
import { leftWords } from "../../../_components/collection/reason-words";
import { NewPass } from "./new-pass";

const BUSY_MS = 1000;
const QUIET_MS = 30_000;

const isRunning = ({ status }: CollectionPass) => status === "queued" || status === "running";

const STATUS: Record<CollectionPass["status"], { word: string; color: string }> = {
  queued: { word: "Queued", color: "var(--severity-info)" },
  running: { word: "Running", color: "var(--mantine-primary-color-filled)" },
  completed: { word: "Completed", color: "var(--state-ok)" },
  cancelled: { word: "Cancelled", color: "var(--severity-info)" },
  failed: { word: "Failed", color: "var(--severity-high)" },
};

const windowWords = ({ origin, startMs, endMs }: CollectionPass) =>
  origin === "automatic" ? "Newly settled" : `${formatDay(startMs, 0)} – ${formatDay(endMs, 0)}`;

const COLUMNS: ListColumn<CollectionPass>[] = [
  {
    id: "status",
    header: "Status",
    meta: { width: "7.5rem" },
    cell: ({ row: { original } }) => <Dot color={STATUS[original.status].color}>{STATUS[original.status].word}</Dot>,
  },
  {
    id: "window",
    header: "Conversations",
    meta: { width: "13rem", roomy: true },
    cell: ({ row }) => windowWords(row.original),
  },
  { id: "progress", header: "Progress", cell: ({ row }) => <PassProgress pass={row.original} /> },
  {
    id: "started",
    header: "Started",
    meta: { width: "7rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];

/** A Dataset's passes over conversations, with live progress; starts passes over past ones, and cancels them. */
export function CollectionPasses({ projectId, dataset }: { projectId: string; dataset: Dataset }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const may = useMay("models:manage");
  const [adding, setAdding] = useState(false);
  const list = useInfiniteQuery(
    trpc.collectionPasses.list.infiniteQueryOptions(
      { projectId, datasetId: dataset.id },
      {
        ...nextCursorPage,
        refetchInterval: ({ state }) => (state.data?.pages[0]?.collectionPasses.some(isRunning) ? BUSY_MS : QUIET_MS),
      },
    ),
  );
  const cancel: ListAction<CollectionPass> = {
    id: "cancel",
    label: "Cancel",
    single: true,
    applies: isRunning,
    run: async ({ rows: [pass] }) => {
      if (!pass) return null;
      await client.collectionPasses.cancel.mutate({ projectId, datasetId: dataset.id, collectionPassId: pass.id });
      await list.refetch();
      return { said: "Cancelled the collection. What it proposed waits in review, or is discarded." };
    },
  };
  return (
    <>
      {may && dataset.collectionObjective !== null ? (
        <Group mb="sm">
          <Button variant="default" onClick={() => setAdding(true)}>
            Collect from past conversations…
          </Button>
        </Group>
      ) : null}
      <DataList
        embedded
        scope="passes"
        list={list}
        name="Collection passes"
        what="pass"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap((page) => page.collectionPasses) ?? []}
        rowId={({ id }) => id}
        rowName={windowWords}
        minWidth={340}
        actions={may ? [cancel] : []}
        details={(pass) => (
          <div className={classes.root}>
            {pass.error === null ? null : <Text size="sm">{pass.error}</Text>}
            <CountsByReason title="Left out" counts={pass.left} wordsOf={leftWords} />
            {may && isRunning(pass) ? (
              <Button
                variant="default"
                size="compact-sm"
                w="fit-content"
                onClick={() => void cancel.run({ rows: [pass], matching: false })}
              >
                Cancel
              </Button>
            ) : null}
          </div>
        )}
        empty={
          <Text size="sm" c="dimmed">
            Nothing was collected yet.
          </Text>
        }
      />
      <NewPass projectId={projectId} dataset={dataset} opened={adding} onClose={() => setAdding(false)} />
    </>
  );
}

/** `120 of 1,000 read · 14 proposed`, with a bar while it runs. */
function PassProgress({ pass }: { pass: CollectionPass }) {
  const { conversationsRead: read, conversationsExpected: expected, proposed } = pass;
  const words = `${plural(proposed, "Example")} proposed`;
  if (!isRunning(pass))
    return (
      <span className="tabular">
        {plural(read, "conversation")} read · {words}
      </span>
    );
  return (
    <>
      <Progress
        size="xs"
        value={expected === 0 ? 0 : Math.min(100, (100 * read) / expected)}
        aria-label="Conversations read"
      />
      <Text size="xs" c="dimmed" className="tabular" mt={2}>
        {formatCount(read)} of {formatCount(expected)} read · {words}
      </Text>
    </>
  );
}
