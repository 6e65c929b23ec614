"use client";
import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { deploymentHref } from "../training/hrefs";
import { TrainerError } from "../training/trainer-error";
import { DeploymentStatus, stageWords } from "./status";
import type { useDeploy } from "./use-deploy";

type Props = { projectId: string; deploy: ReturnType<typeof useDeploy>; onClose: () => void };

/** A deployment's progress while its request is pending or, if it has ended, why it is not running. */
export function DeployProgress({ projectId, deploy, onClose }: Props) {
  const { result, row, isPending } = deploy;
  const shown = result ?? row;
  return (
    <Stack gap="md">
      <Group gap="sm" role="status" wrap="nowrap">
        {isPending ? <Loader size={16} aria-hidden /> : null}
        {shown === undefined ? (
          <Text size="sm">Asking the trainer</Text>
        ) : (
          <>
            <DeploymentStatus deployment={shown} />
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {shown.status === "failed" || shown.status === "timeout" ? "" : stageWords(shown)}
            </Text>
          </>
        )}
      </Group>
      {shown?.error == null || isPending ? null : <TrainerError error={shown.error} flush />}
      {isPending ? (
        <Text size="sm" c="dimmed">
          “{deploy.name}” switches over once the new model responds. This continues if you close the dialog or the page.
        </Text>
      ) : null}
      <Group justify="flex-end">
        {isPending || result?.status === "running" ? null : (
          <Button variant="default" onClick={deploy.again}>
            Change and try again
          </Button>
        )}
        {shown === undefined ? null : (
          <Button component={Link} variant="default" href={deploymentHref(projectId, shown.id)} onClick={onClose}>
            Open deployment
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
