"use client";
import { Button } from "@mantine/core";
import { IconMessages } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { SearchInput } from "@/app/_components/controls/search-input";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { ChosenFilters, FacetsToggle } from "@/app/_components/facets/facets";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import panes from "@/app/_components/layout/panes.module.css";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { useMay } from "../../../../_components/access/membership";
import { exampleHref } from "../../../_components/view";
import { chosenFilters, examplesInput, facetsInput, isFiltered, NO_FILTERS, type View } from "../view";
import { COLUMNS } from "./columns";
import { ExamplePeek } from "./example-peek";
import classes from "./examples.module.css";
import { ExampleFacets } from "./facets";
import { previewOf } from "./preview";
import { useExampleActions } from "./use-example-actions";

type Props = {
  projectId: string;
  dataset: Dataset;
  view: View;
  setView: (view: Partial<{ [Key in keyof View]: View[Key] | null }>) => unknown;
};

/** A Dataset's Examples: search, filters, and what can be done to a selection. */
export function ExamplesTab({ projectId, dataset, view, setView }: Props) {
  const trpc = useTRPC();
  const datasetId = dataset.id;
  const [showFacets, setShowFacets] = useState(false);
  const input = examplesInput(projectId, datasetId, view);
  const list = useInfiniteQuery(
    trpc.examples.list.infiniteQueryOptions(input, {
      ...nextCursorPage,
      placeholderData: (previous) => previous,
    }),
  );
  const facets = useQuery(
    trpc.examples.facets.queryOptions(facetsInput(projectId, datasetId, view), {
      placeholderData: (previous) => previous,
    }),
  );
  const { actions, dialogs } = useExampleActions(input, facets.data?.facets.tags.map(({ value }) => value) ?? []);
  const chosen = chosenFilters(view);
  return (
    <>
      <div className={classes.bar}>
        <SearchInput label="Search Examples" value={view.q} onChange={(q) => void setView({ q: q || null })} />
        <FacetsToggle chosen={chosen.length} shown={showFacets} onToggle={() => setShowFacets(!showFacets)} />
        <div className={classes.barEnd}>
          <ColumnMenu columns={COLUMNS} />
        </div>
      </div>
      <div className={panes.root}>
        <ExampleFacets view={view} setView={setView} facets={facets.data?.facets} shown={showFacets} />
        <div className={panes.list}>
          <ChosenFilters
            filters={chosen.map(({ id, text, without }) => ({ id, text, onRemove: () => void setView(without) }))}
          />
          <DataList
            list={list}
            name="Examples"
            what="Example"
            columns={COLUMNS}
            rows={list.data?.pages.flatMap((page) => page.examples) ?? []}
            rowId={({ id }) => id}
            rowName={({ payload }) => previewOf(payload).question}
            rowHref={({ id }) => exampleHref(projectId, datasetId, id)}
            rowHeight={54}
            minWidth={340}
            minWidthAside={340}
            actions={actions}
            matching={{ filter: input }}
            peek={({ id, close }) => (
              <ExamplePeek key={id} projectId={projectId} datasetId={datasetId} exampleId={id} onClose={close} />
            )}
            empty={
              isFiltered(view) ? (
                <NoMatch
                  title="No Example matches"
                  onClear={() => void setView(NO_FILTERS)}
                  clear="Clear search and filters"
                />
              ) : (
                <NoExamples
                  projectId={projectId}
                  dataset={dataset}
                  onSettings={() => void setView({ tab: "settings" })}
                />
              )
            }
          />
        </div>
      </div>
      {dialogs}
    </>
  );
}

type NoExamplesProps = { projectId: string; dataset: Dataset; onSettings: () => void };

function NoExamples({ projectId, dataset, onSettings }: NoExamplesProps) {
  const may = useMay("models:manage");
  return (
    <EmptyState
      icon={IconMessages}
      title="No Examples yet"
      action={
        may ? (
          <>
            <Button component={Link} href={exampleHref(projectId, dataset.id, "new")}>
              New Example
            </Button>
            {dataset.collectionEnabled ? null : (
              <Button variant="default" onClick={onSettings}>
                Set up collection
              </Button>
            )}
          </>
        ) : null
      }
    >
      {dataset.collectionEnabled
        ? "What it collects appears here once a conversation fits its objective and, if you review first, someone approved it. You can also write Examples by hand or import a file."
        : "Write one by hand, import a file, or let the Dataset collect from your conversations."}
    </EmptyState>
  );
}
