"use client";
import { Button } from "@mantine/core";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useKeys } from "@/app/_lib/use-keys";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { useMay } from "../../../_components/access/membership";
import { DeployDialog, type DeployStart } from "../../../_components/serving/deploy-dialog";
import { DeploymentStatus } from "../../../_components/serving/status";
import { StopDeployment } from "../../../_components/serving/stop-deployment";
import { isLive } from "../../../_components/serving/words";
import { playgroundHref } from "../../../_components/training/hrefs";
import classes from "./deployment-page.module.css";
import { RollBack } from "./roll-back";
import { useHistory } from "./use-history";
import { viewParsers } from "./view";

const SHIFT_R = "R";
type Props = { projectId: string; deployment: Deployment; listHref: string };

/** A deployment's name and status, and what can be done with it. */
export function DeploymentHeader({ projectId, deployment, listHref }: Props) {
  const may = useMay("project:models:manage");
  const mayTry = useMay("models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const { previous } = useHistory(projectId, deployment);
  const ask = (question: typeof view.ask) => () => void setView({ ask: question });
  const close = ask(null);
  const running = deployment.status === "running";
  const isService = deployment.purpose === "service";
  const canRollBack = may && isService && running && previous !== undefined;
  useKeys({ [SHIFT_R]: () => canRollBack && void setView({ ask: "roll-back" }) });
  const differs = deployment.status === "failed" && deployment.error?.code === "merge_parity_failed";
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <BackLink href={listHref} label="All deployments" />
            <span className="clip" title={deployment.model}>
              {deployment.model}
            </span>
          </span>
        }
        aside={
          <>
            {mayTry && running ? (
              <Button
                component={Link}
                variant="default"
                href={playgroundHref(projectId, { a: `deployment:${deployment.id}` })}
              >
                Try in playground
              </Button>
            ) : null}
            {may && isService ? (
              <>
                {differs ? <Button onClick={ask("force")}>Deploy anyway…</Button> : null}
                {canRollBack ? (
                  <Button variant="default" onClick={ask("roll-back")}>
                    Roll back…
                  </Button>
                ) : null}
                <Button variant="default" onClick={ask("deploy")}>
                  Deploy another version…
                </Button>
              </>
            ) : null}
            {may && isLive(deployment) && deployment.status !== "stopping" ? (
              <Button variant="default" onClick={ask("stop")}>
                Stop…
              </Button>
            ) : null}
          </>
        }
      >
        <DeploymentStatus deployment={deployment} />
      </PageHeader>
      <StopDeployment
        projectId={projectId}
        deployment={may && view.ask === "stop" && isLive(deployment) ? deployment : null}
        onClose={close}
      />
      <RollBack
        projectId={projectId}
        deployment={may && view.ask === "roll-back" && running ? deployment : null}
        previous={previous}
        onClose={close}
      />
      <DeployDialog projectId={projectId} start={may ? startOf(view.ask, deployment) : null} onClose={close} />
    </>
  );
}

/** Deploys another version under the same name, or the same one again despite differing answers. */
function startOf(ask: string | null, { model, checkpointId, quantization, backend }: Deployment): DeployStart | null {
  if (ask === "deploy") return { name: model };
  if (ask !== "force" || checkpointId === null) return null;
  return {
    name: model,
    checkpointId,
    force: true,
    ...(quantization === null ? {} : { quantization: quantization as NonNullable<DeployStart["quantization"]> }),
    ...(backend === null ? {} : { backend }),
  };
}
