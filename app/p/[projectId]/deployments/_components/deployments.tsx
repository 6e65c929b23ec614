"use client";
import { Button, NativeSelect } from "@mantine/core";
import { IconRocket, IconX } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { useMay } from "../../_components/access/membership";
import { DeployDialog } from "../../_components/serving/deploy-dialog";
import { StopDeployment } from "../../_components/serving/stop-deployment";
import { DEPLOYMENT_STATUS, DEPLOYMENT_STATUSES, isChanging, isLive } from "../../_components/serving/words";
import { pageHref } from "../../_components/shell/pages";
import { deploymentHref } from "../../_components/training/hrefs";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { columnsOf } from "./columns";
import { useCheckpointNames } from "./use-checkpoint-names";
import { isFiltered, listInput, NO_FILTERS, PURPOSES, serializeView, type View, viewParsers } from "./view";

/** The models that are served, and those that were, live. */
export function Deployments({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("project:models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(pageHref(projectId, "deployments"), serializeView({ ...view, peek: null, deploy: null }));
  const list = useInfiniteQuery(
    trpc.deployments.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      refetchInterval: pollList((page) => page.deployments.some(isChanging)),
    }),
  );
  const checkpointName = useCheckpointNames(projectId);
  const [stopped, setStopped] = useState<Deployment | null>(null);
  const columns = columnsOf({ projectId, checkpointName });
  const isEmpty = list.data?.pages.every((page) => page.deployments.length === 0) ?? false;
  const unattached = useWithoutTrainer(projectId, isEmpty && !isFiltered(view));
  const deploy = <Button onClick={() => void setView({ deploy: "new" })}>Deploy a checkpoint</Button>;
  return (
    <ListPage
      title="Deployments"
      filters={<Filters view={view} setView={setView} />}
      buttons={may ? deploy : null}
      instead={unattached ? <NoTrainer projectId={projectId} /> : null}
      list={list}
      what="deployment"
      columns={columns}
      rows={list.data?.pages.flatMap((page) => page.deployments) ?? []}
      rowId={({ id }) => id}
      rowName={({ model }) => model}
      rowHref={({ id }) => deploymentHref(projectId, id)}
      rowHeight={58}
      minWidth={340}
      dimmed={({ status }) => status === "stopped"}
      actions={
        may
          ? [
              {
                id: "stop",
                label: "Stop…",
                danger: true,
                single: true,
                applies: isLive,
                run: async ({ rows: [row] }) => {
                  if (row) setStopped(row);
                  return null;
                },
              },
            ]
          : []
      }
      empty={
        isFiltered(view) ? (
          <NoMatch title="No deployment matches" onClear={() => void setView(NO_FILTERS)} />
        ) : (
          <EmptyState icon={IconRocket} title="No deployments yet" action={may ? deploy : null}>
            A deployment serves a checkpoint to your application, at an address that any client of the OpenAI API can
            call. Its calls are recorded like those of any other model, and included in Findings and costs.
          </EmptyState>
        )
      }
    >
      <StopDeployment
        projectId={projectId}
        deployment={stopped !== null && isLive(stopped) ? stopped : null}
        onClose={() => setStopped(null)}
      />
      <DeployDialog
        projectId={projectId}
        start={!may || view.deploy === null ? null : view.deploy === "new" ? {} : { checkpointId: view.deploy }}
        onClose={() => void setView({ deploy: null })}
      />
    </ListPage>
  );
}

const PURPOSE_WORDS = { service: "Deployments", playground: "Playground servers" } as const;

function Filters({ view, setView }: { view: View; setView: (view: Partial<View>) => unknown }) {
  return (
    <>
      <NativeSelect
        aria-label="Status"
        value={view.status ?? ""}
        onChange={(event) =>
          setView({ status: DEPLOYMENT_STATUSES.find((known) => known === event.currentTarget.value) ?? null })
        }
        data={[
          { value: "", label: "Any status" },
          ...DEPLOYMENT_STATUSES.map((value) => ({ value, label: DEPLOYMENT_STATUS[value].word })),
        ]}
      />
      <NativeSelect
        aria-label="Purpose"
        value={view.purpose}
        onChange={(event) =>
          setView({ purpose: PURPOSES.find((known) => known === event.currentTarget.value) ?? "service" })
        }
        data={PURPOSES.map((value) => ({ value, label: PURPOSE_WORDS[value] }))}
      />
      {view.checkpoint === null ? null : (
        <Button
          variant="light"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label="Show deployments of all checkpoints"
          onClick={() => setView({ checkpoint: null })}
        >
          One checkpoint
        </Button>
      )}
    </>
  );
}
