"use client";
import { Button, Group, Modal, MultiSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import classes from "./adding.module.css";
import { askedIn, MessagesThatGoIn } from "./messages-that-go-in";
import { NoDataset } from "./no-dataset";
import { useDatasets } from "./use-datasets";

/** The chosen conversations, or the newest of a Finding. */
export type AddSelection = { conversationIds: string[] } | { findingId: string };

type Props = { projectId: string; selection: AddSelection | null; onClose: () => void };

/** Adds conversations as Examples to one or several Datasets, after showing which messages go in. */
export const AddToDatasets = ({ projectId, selection, onClose }: Props) => (
  <Modal opened={selection !== null} onClose={onClose} title="Add to Datasets" size="lg">
    {selection === null ? null : <Fields projectId={projectId} selection={selection} onClose={onClose} />}
  </Modal>
);

function Fields({ projectId, selection, onClose }: Props & { selection: AddSelection }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useDatasets(projectId);
  const datasets = query.data ?? [];
  const [chosen, setChosen] = useState<string[]>([]);
  const preview = useQuery(
    trpc.examples.previewConversations.queryOptions({ projectId, ...selection }, { staleTime: 0, gcTime: 0 }),
  );
  const add = useMutation(
    trpc.examples.addConversations.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() }),
    }),
  );
  if (add.data)
    return (
      <Results
        projectId={projectId}
        results={add.data.results}
        questions={new Map(preview.data?.examples.map((one) => [one.conversationId, askedIn(one)]))}
        datasets={datasets}
        onClose={onClose}
      />
    );
  const examples = preview.data?.examples ?? [];
  const usable = examples.filter(({ payload }) => payload !== null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen.length > 0 && usable.length > 0) add.mutate({ projectId, ...selection, datasetIds: chosen });
      }}
    >
      <Stack gap="md">
        {!query.isPending && datasets.length === 0 ? (
          <NoDataset projectId={projectId} datasets={query} />
        ) : (
          <MultiSelect
            label="Datasets"
            data-autofocus
            // An open list would hide the messages below it.
            openOnFocus={false}
            searchable
            placeholder={chosen.length === 0 ? "Choose one or more" : undefined}
            data={datasets.map(({ id, name }) => ({ value: id, label: name }))}
            value={chosen}
            onChange={setChosen}
            maxValues={20}
            nothingFoundMessage={query.isPending ? "Loading…" : "No Dataset has this name"}
          />
        )}
        {preview.error ? (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
        ) : preview.isPending ? (
          <Skeleton height={140} role="status" aria-label="Loading the conversations" />
        ) : (
          <MessagesThatGoIn projectId={projectId} examples={examples} />
        )}
        <Refused error={add.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={chosen.length === 0 || usable.length === 0}>
            Add {preview.data ? plural(usable.length, "Example") : ""}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Result = RouterOutputs["examples"]["addConversations"]["results"][number];
type ResultsProps = {
  projectId: string;
  results: readonly Result[];
  /** What the user asked, by conversation. */
  questions: ReadonlyMap<string, string | null>;
  datasets: readonly Dataset[];
  onClose: () => void;
};

const STATUS: Record<Result["status"], string> = {
  created: "Added",
  duplicate: "Already included",
  skipped: "Not added",
};

/** What became of each conversation in each Dataset. */
function Results({ projectId, results, questions: asked, datasets, onClose }: ResultsProps) {
  const created = results.filter(({ status }) => status === "created").length;
  const others = results.filter(({ status }) => status !== "created");
  const nameOf = (datasetId: string) => datasets.find(({ id }) => id === datasetId)?.name ?? datasetId;
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        Added {plural(created, "Example")}
        {others.length > 0 ? `, skipped ${others.length}` : ""}.
      </Text>
      <ul className={classes.list} aria-label="Results">
        {results.map(({ conversationId, datasetId, status, exampleId, problem }) => (
          <li key={`${datasetId} ${conversationId}`} className={classes.row}>
            <b>{STATUS[status]}</b>
            <span className={classes.name}>
              <Link
                href={`/p/${projectId}/conversations/${encodeURIComponent(conversationId)}`}
                className={asked.get(conversationId) ? classes.asked : "mono"}
                dir="auto"
              >
                {asked.get(conversationId) || conversationId}
              </Link>
              {" in "}
              <Link
                href={`/p/${projectId}/datasets/${datasetId}${exampleId === null ? "" : `?peek=${encodeURIComponent(exampleId)}`}`}
              >
                {nameOf(datasetId)}
              </Link>
              {problem === null ? null : <span className={classes.quiet}> {problem}</span>}
            </span>
          </li>
        ))}
      </ul>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
