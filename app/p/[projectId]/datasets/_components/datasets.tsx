"use client";
import { Button } from "@mantine/core";
import { IconBooks } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { SearchInput } from "@/app/_components/controls/search-input";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { useMay } from "../../_components/access/membership";
import { COLUMNS } from "./columns";
import { NewDataset } from "./new-dataset";
import { datasetHref, listInput, viewParsers } from "./view";

/** The project's Datasets, and the dialog that creates one. */
export function Datasets({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.datasets.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      placeholderData: (previous) => previous,
      refetchInterval: 20_000,
    }),
  );
  const open = () => void setView({ new: true });
  return (
    <ListPage
      title="Datasets"
      filters={<SearchInput label="Search names" value={view.q} onChange={(q) => void setView({ q: q || null })} />}
      buttons={may ? <Button onClick={open}>New Dataset</Button> : null}
      list={list}
      what="Dataset"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.datasets) ?? []}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowHref={({ id }) => datasetHref(projectId, id)}
      rowHeight={54}
      minWidth={340}
      empty={
        view.q.trim() ? (
          <NoMatch title="No Dataset matches" onClear={() => void setView({ q: null })} clear="Clear search">
            There may be others with another name.
          </NoMatch>
        ) : (
          <EmptyState
            icon={IconBooks}
            title="No Datasets yet"
            action={may ? <Button onClick={open}>New Dataset</Button> : null}
          >
            A Dataset contains the Examples that a model is trained on: a conversation, and the answer it should give.
            Fill it by hand, import a file, or let it collect from your own conversations what went well, what was
            corrected, and what your project knows.
          </EmptyState>
        )
      }
    >
      <NewDataset projectId={projectId} opened={view.new} onClose={() => void setView({ new: null })} />
    </ListPage>
  );
}
