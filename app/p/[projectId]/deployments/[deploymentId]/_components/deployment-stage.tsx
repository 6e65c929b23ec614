import { Group, Loader, Text } from "@mantine/core";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { ExactTime } from "@/app/_components/values/exact-time";
import { plural } from "@/app/_lib/format";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { isChanging, isStarting } from "../../../_components/serving/words";
import classes from "./deployment-page.module.css";

/** What a deployment is doing while its status is changing, and whether its trainer is unreachable. */
export function DeploymentStage({ deployment }: { deployment: Deployment }) {
  const { staleSince, stageDetail, status, deadlineAt, restarts } = deployment;
  return (
    <>
      {staleSince === null ? null : (
        <div className={classes.banner} role="status">
          <Dot color="var(--severity-medium)">
            <span>
              Its trainer has been unreachable since <Ago at={staleSince} />. It may still answer calls.
            </span>
          </Dot>
        </div>
      )}
      {isChanging(deployment) ? (
        <div className={classes.banner} role="status" aria-label="Progress">
          <Group gap="sm" wrap="nowrap">
            <Loader size={14} aria-hidden />
            <Text size="sm">
              {stageDetail ?? (status === "stopping" ? "Finishing calls in progress" : "Waiting for the trainer")}
              {restarts > 0 ? `, after ${plural(restarts, "restart")}` : ""}
              {isStarting(deployment) && deployment.startedAt === null ? (
                <Text span inherit c="dimmed">
                  {" "}
                  · must start by <ExactTime at={deadlineAt} />
                </Text>
              ) : null}
            </Text>
          </Group>
        </div>
      ) : null}
    </>
  );
}
