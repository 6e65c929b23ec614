"use client";
import { Checkbox, NativeSelect, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import type { CertifiedForm } from "@/server/services/proof/certificates/schemas";
import { COMPRESSED_QUANTIZATIONS, GGUF_QUANTIZATIONS } from "@/server/services/training/settings/schemas";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { quantizationProblem } from "../../../_components/serving/backends";
import { formWords } from "../../../_components/serving/words";

type Props = {
  projectId: string;
  checkpoint: Checkpoint | null;
  onStarted: (certificateId: string) => void;
  onClose: () => void;
};

const FORMS: readonly CertifiedForm[] = [
  { kind: "merged-16bit", quantization: null },
  ...GGUF_QUANTIZATIONS.map((quantization) => ({ kind: "gguf" as const, quantization })),
  ...COMPRESSED_QUANTIZATIONS.map((quantization) => ({ kind: "compressed" as const, quantization })),
];

/** Asks which forms of a checkpoint to compare with it on the same prompts. */
export function Certify({ projectId, checkpoint, onStarted, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<readonly string[]>(["Merged, 16-bit"]);
  const [deploymentId, setDeploymentId] = useState("");
  const trainers = useQuery(trpc.trainers.list.queryOptions({ projectId })).data?.trainers ?? [];
  const running = useQuery(
    trpc.deployments.list.queryOptions(
      { projectId, checkpointId: checkpoint?.id, status: "running", limit: 50 },
      { enabled: checkpoint !== null },
    ),
  );
  const certify = useMutation(
    trpc.certificates.create.mutationOptions({
      onSuccess: ({ certificate }) => {
        notifications.show({ message: "Comparing answers" });
        onStarted(certificate.id);
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.certificates.pathKey() }),
    }),
  );
  const forms = FORMS.filter((form) => chosen.includes(formWords(form)));
  return (
    <ConfirmDialog
      subject={checkpoint}
      onClose={onClose}
      title={() => "Compare the formats of this checkpoint"}
      says={() =>
        "Each format is built if needed and answers the same prompts as the checkpoint at temperature 0. Deploying or exporting a format requires a passing comparison."
      }
      action="Compare answers"
      danger={false}
      ready={forms.length > 0 || deploymentId !== ""}
      running={certify}
      onConfirm={({ id }) =>
        certify.mutate({
          projectId,
          checkpointId: id,
          forms: [...forms],
          ...(deploymentId === "" ? {} : { deploymentId }),
        })
      }
    >
      <Checkbox.Group label="Formats" value={[...chosen]} onChange={setChosen}>
        <Stack gap={6} mt={6}>
          {FORMS.map((form) => {
            const problem = form.quantization === null ? null : quantizationProblem(trainers, form.quantization);
            return (
              <Checkbox
                key={formWords(form)}
                size="xs"
                value={formWords(form)}
                disabled={problem !== null}
                label={formWords(form)}
                description={problem}
              />
            );
          })}
        </Stack>
      </Checkbox.Group>
      {(running.data?.deployments.length ?? 0) === 0 ? null : (
        <NativeSelect
          size="sm"
          label="And a running deployment"
          value={deploymentId}
          onChange={(event) => setDeploymentId(event.currentTarget.value)}
          data={[
            { value: "", label: "None" },
            ...(running.data?.deployments.map(({ id, model }) => ({ value: id, label: model })) ?? []),
          ]}
        />
      )}
    </ConfirmDialog>
  );
}
