"use client";
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { isUsable } from "../training/is-usable";
import { DeployFields } from "./deploy-fields";
import { type DeployForm, isReady, nameFrom, requestOf } from "./deploy-form";
import { DeployProgress } from "./deploy-progress";
import { useDeploy } from "./use-deploy";

export type DeployStart = Partial<Pick<DeployForm, "checkpointId" | "name" | "quantization" | "backend" | "force">>;
type Props = {
  projectId: string;
  /** What is already known about the deployment; `null` while the dialog is closed. */
  start: DeployStart | null;
  onClose: () => void;
};

/** Deploys a checkpoint: asks for its name and form, and follows it until it runs. */
export function DeployDialog({ projectId, start, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(start);
  if (start !== null && start !== shown) setShown(start);
  return (
    <Modal opened={start !== null} onClose={onClose} title="Deploy a checkpoint" size="lg">
      {shown === null ? null : (
        <Deploy key={JSON.stringify(shown)} projectId={projectId} start={shown} onClose={onClose} />
      )}
    </Modal>
  );
}

function Deploy({ projectId, start, onClose }: { projectId: string; start: DeployStart; onClose: () => void }) {
  const trpc = useTRPC();
  const checkpoints = useQuery(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 }));
  const known = checkpoints.data?.checkpoints.find(({ id }) => id === start.checkpointId);
  const one = useQuery(
    trpc.checkpoints.get.queryOptions(
      { projectId, checkpointId: start.checkpointId ?? "" },
      { enabled: start.checkpointId !== undefined && known === undefined },
    ),
  );
  const first = known ?? one.data?.checkpoint;
  const [form, setForm] = useState<DeployForm>({
    checkpointId: start.checkpointId ?? "",
    name: start.name ?? "",
    backend: start.backend ?? "auto",
    quantization: start.quantization ?? null,
    tokenizerPre: "",
    timeoutMinutes: 20,
    force: start.force ?? false,
    typed: "",
  });
  const [named, setNamed] = useState(start.name !== undefined);
  const all = merged(checkpoints.data?.checkpoints ?? [], first);
  const checkpoint = all.find(({ id }) => id === form.checkpointId);
  // Until the user names it, it is named after the run it comes from.
  const shown = named ? form : { ...form, name: checkpoint === undefined ? "" : nameFrom(checkpoint.jobName) };
  const deploy = useDeploy(projectId);
  if (deploy.isPending || deploy.result !== undefined)
    return <DeployProgress projectId={projectId} deploy={deploy} onClose={onClose} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady(shown)) deploy.start(requestOf(shown));
      }}
    >
      <Stack gap="md">
        <DeployFields
          projectId={projectId}
          form={shown}
          set={(change) => {
            if (change.name !== undefined) setNamed(true);
            setForm((before) => ({ ...before, ...change }));
          }}
          checkpoints={all}
          checkpoint={checkpoint}
          fixed={start.checkpointId !== undefined}
          error={deploy.error}
        />
        <Refused error={deploy.error ?? checkpoints.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" {...(shown.force ? { color: "red" } : {})} disabled={!isReady(shown)}>
            {shown.force ? "Deploy anyway" : "Deploy"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The checkpoints that can be served, with the chosen one first where it is not among the newest. */
function merged(list: readonly Checkpoint[], first: Checkpoint | undefined): Checkpoint[] {
  const stored = list.filter(isUsable);
  return first === undefined || stored.some(({ id }) => id === first.id) ? stored : [first, ...stored];
}
