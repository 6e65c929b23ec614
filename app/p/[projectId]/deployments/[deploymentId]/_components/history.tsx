"use client";
import { IconHistory } from "@tabler/icons-react";
import { DataList } from "@/app/_components/data-table/data-list";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { deploymentHref } from "../../../_components/training/hrefs";
import { columnsOf, servedWords } from "../../_components/columns";
import { useCheckpointNames } from "../../_components/use-checkpoint-names";
import { useHistory } from "./use-history";

/** What ran, or should have run, under a name, newest first. */
export function History({ projectId, deployment }: { projectId: string; deployment: Deployment }) {
  const { query, deployments } = useHistory(projectId, deployment);
  const checkpointName = useCheckpointNames(projectId);
  return (
    <DataList
      list={query}
      name="Versions of the deployment"
      what="version"
      embedded
      columns={columnsOf({ projectId, checkpointName, versions: true }).filter(({ id }) => id !== "checkpoint")}
      rows={deployments}
      rowId={({ id }) => id}
      rowName={(one) => servedWords(one, checkpointName)}
      rowHref={({ id }) => deploymentHref(projectId, id)}
      minWidth={340}
      dimmed={({ id, status }) => id !== deployment.id && status === "stopped"}
      empty={
        <EmptyState icon={IconHistory} title="Nothing ran under this name">
          Its versions are listed here.
        </EmptyState>
      }
    />
  );
}
