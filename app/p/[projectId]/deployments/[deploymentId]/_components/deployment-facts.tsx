"use client";
import { DataList } from "@mantine/core";
import Link from "next/link";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, formatDuration } from "@/app/_lib/format";
import { SECOND_MS } from "@/server/platform/durations";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { useMay } from "../../../_components/access/membership";
import { DeploymentStatus } from "../../../_components/serving/status";
import { backendWords } from "../../../_components/serving/words";
import { pageHref } from "../../../_components/shell/pages";
import { checkpointHref, deploymentHref } from "../../../_components/training/hrefs";
import { servedWords } from "../../_components/columns";
import { useCheckpointNames } from "../../_components/use-checkpoint-names";

type Props = { projectId: string; deployment: Deployment };

export function DeploymentFacts({ projectId, deployment }: Props) {
  const checkpointName = useCheckpointNames(projectId);
  const { checkpointId, baseModel, backend, quantization, restarts, replacesId, idleSeconds } = deployment;
  return (
    <DataList size="sm" gap={6} labelWidth={130}>
      <Fact label="Status">
        <DeploymentStatus deployment={deployment} />
      </Fact>
      <Fact label="Serves">
        {checkpointId === null ? (
          <span className="mono">{baseModel?.id}</span>
        ) : (
          <Link href={checkpointHref(projectId, checkpointId)} dir="auto">
            {servedWords(deployment, checkpointName)}
          </Link>
        )}
      </Fact>
      <Fact label="Format" mono={quantization !== null}>
        {quantization ?? "As trained"}
      </Fact>
      <Fact label="Served with">{backendWords(backend)}</Fact>
      {deployment.isForced ? (
        <Fact label="Comparison">
          <Dot color="var(--severity-high)">Deployed without a passing comparison</Dot>
        </Fact>
      ) : null}
      {deployment.purpose === "service" ? <Uses projectId={projectId} deployment={deployment} /> : null}
      <Fact label="Last called">
        <AgoOr at={deployment.lastCalledAt} otherwise="Never" />
      </Fact>
      <Fact label="Restarts">{restarts === 0 ? "None" : `${formatCount(restarts)} after crashes`}</Fact>
      {deployment.firstTokenMs === null ? null : (
        <Fact label="First token">after {formatDuration(deployment.firstTokenMs)}</Fact>
      )}
      <Fact label="Requested">
        <ExactTime at={deployment.createdAt} />
      </Fact>
      {deployment.startedAt === null ? null : (
        <Fact label="Started">
          <ExactTime at={deployment.startedAt} /> (<Ago at={deployment.startedAt} />)
        </Fact>
      )}
      {deployment.endedAt === null ? null : (
        <Fact label="Ended">
          <ExactTime at={deployment.endedAt} />
        </Fact>
      )}
      <Fact label="Gives up after">{formatDuration(deployment.timeoutSeconds * SECOND_MS)}</Fact>
      {idleSeconds === null ? null : (
        <Fact label="Stops automatically">{formatDuration(idleSeconds * SECOND_MS)} after the last call</Fact>
      )}
      {replacesId === null ? null : (
        <Fact label="Replaced">
          <Link href={deploymentHref(projectId, replacesId)}>What ran before</Link>
        </Fact>
      )}
      {deployment.tuningConfigId === null ? null : (
        <Fact label="Deployed by">
          <Link href={`${pageHref(projectId, "tuning-configs")}?peek=${encodeURIComponent(deployment.tuningConfigId)}`}>
            A tuning configuration
          </Link>
        </Fact>
      )}
      <Fact label="ID">
        <IdText id={deployment.id} />
      </Fact>
    </DataList>
  );
}

/** Where its calls and their cost are shown. */
function Uses({ projectId, deployment: { model } }: Props) {
  const mayPrice = useMay("model-pricing:write");
  const mayCost = useMay("model-pricing:read");
  const query = `model=${encodeURIComponent(model)}`;
  return (
    <Fact label="Calls">
      <Link href={`${pageHref(projectId, "conversations")}?${query}`}>Conversations</Link>
      {mayCost ? (
        <>
          {" "}
          · <Link href={`${pageHref(projectId, "costs")}?by=model`}>Cost by model</Link>
        </>
      ) : null}
      {mayPrice ? (
        <>
          {" "}
          · <Link href={`${pageHref(projectId, "prices")}/edit?${query}`}>Set a price</Link>
        </>
      ) : null}
    </Fact>
  );
}
