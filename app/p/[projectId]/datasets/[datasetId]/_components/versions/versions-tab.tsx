"use client";
import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListAction } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import type { DatasetVersion } from "@/server/services/datasets/versions/schemas";
import { useMay } from "../../../../_components/access/membership";
import { serializeView, type View } from "../view";
import { columnsOf } from "./columns";
import { Comparison } from "./comparison";
import { RestoreVersion } from "./restore-version";

type Props = {
  projectId: string;
  dataset: Dataset;
  view: View;
  setView: (view: Partial<{ [Key in keyof View]: View[Key] | null }>) => unknown;
};

/** A Dataset's versions, or two of them compared. */
export function VersionsTab({ projectId, dataset, view, setView }: Props) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const [restoring, setRestoring] = useState<DatasetVersion | null>(null);
  const list = useInfiniteQuery(
    trpc.datasetVersions.list.infiniteQueryOptions({ projectId, datasetId: dataset.id, limit: 50 }, nextCursorPage),
  );
  if (view.from !== null && view.to !== null) {
    return (
      <Comparison
        projectId={projectId}
        dataset={dataset}
        from={view.from}
        to={view.to}
        onChange={(ends) => void setView(ends)}
      />
    );
  }
  const compare: ListAction<DatasetVersion> = {
    id: "compare",
    label: "Compare",
    key: "d",
    run: async ({ rows }) => {
      const numbers = rows.map(({ number }) => number);
      const to = Math.max(...numbers);
      const from = rows.length === 1 ? to - 1 : Math.min(...numbers);
      void setView({ from, to });
      return null;
    },
  };
  return (
    <>
      <DataList
        list={list}
        name="Versions"
        what="version"
        columns={columnsOf(may ? { newest: dataset.version, onRestore: setRestoring } : undefined)}
        rows={list.data?.pages.flatMap((page) => page.versions) ?? []}
        rowId={({ number }) => String(number)}
        rowName={({ number }) => `Version ${number}`}
        rowHref={({ number }) => serializeView({ tab: "versions", from: number - 1, to: number })}
        minWidth={340}
        actions={[compare]}
        empty={
          <EmptyState icon={IconHistory} title="No versions yet">
            Each import, each collection pass and each session of edits becomes a version. Any two can be compared, and
            any one restored.
          </EmptyState>
        }
      />
      <RestoreVersion projectId={projectId} dataset={dataset} version={restoring} onClose={() => setRestoring(null)} />
    </>
  );
}
