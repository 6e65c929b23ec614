"use client";
import { Button, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { IconBinaryTree2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { formatCount } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { pageHref } from "../../../_components/shell/pages";
import { LineageGraph } from "./lineage-graph";
import { LineageTable } from "./lineage-table";
import { SHOWS, viewParsers } from "./view";

const REFRESH_MS = 15_000;
const SHOW_WORDS = { graph: "Graph", table: "Table" } as const;

/** What was trained from a base model, and on what: as a graph, and as a table. */
export function LineagePage({ projectId, rootModelId }: { projectId: string; rootModelId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const listHref = pageHref(projectId, "lineage");
  useKeys({ [ESC]: () => router.push(listHref) });
  const query = useQuery(trpc.lineage.get.queryOptions({ projectId, rootModelId }, { refetchInterval: REFRESH_MS }));
  const lineage = query.data?.lineage;
  const header = (
    <PageHeader
      title={
        <span style={{ display: "flex", gap: 4, alignItems: "center", minWidth: 0 }}>
          <BackLink href={listHref} label="All base models" />
          <span className="clip" title={lineage?.root.id ?? rootModelId}>
            {lineage?.root.id ?? "Lineage"}
          </span>
        </span>
      }
      aside={
        lineage === undefined ? null : (
          <SegmentedControl
            aria-label="Shown as"
            value={view.show}
            onChange={(value) => void setView({ show: SHOWS.find((one) => one === value) ?? null })}
            data={SHOWS.map((value) => ({ value, label: SHOW_WORDS[value] }))}
          />
        )
      }
    />
  );
  if (lineage === undefined) {
    return (
      <>
        {header}
        <NoLineage projectId={projectId} query={query} />
      </>
    );
  }
  return (
    <>
      {header}
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      {lineage.truncated ? (
        <Text size="sm" px="md" py={6} c="dimmed">
          Only the newest {formatCount(lineage.limit)} of each kind are shown.
        </Text>
      ) : null}
      {view.show === "graph" ? (
        <LineageGraph projectId={projectId} nodes={lineage.nodes} edges={lineage.edges} />
      ) : (
        <LineageTable projectId={projectId} nodes={lineage.nodes} edges={lineage.edges} />
      )}
    </>
  );
}

type Query = { error: unknown; isPending: boolean; isFetching: boolean; refetch: () => unknown };

function NoLineage({ projectId, query }: { projectId: string; query: Query }) {
  if (!query.error) {
    return (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the lineage">
        {[40, 90, 70, 80].map((width) => (
          <Skeleton key={width} height={32} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  if (problemOf(query.error).status === 404) {
    return (
      <EmptyState
        icon={IconBinaryTree2}
        title="Nothing was trained from this model"
        action={
          <Button component={Link} href={pageHref(projectId, "lineage")}>
            All base models
          </Button>
        }
      >
        No training of this project started from it.
      </EmptyState>
    );
  }
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
}
