"use client";
import { Button, Group, Modal, NativeSelect, Radio, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { exportHref } from "../training/hrefs";
import { isUsable } from "../training/is-usable";
import { missingWords, quantizationProblem } from "./backends";
import { checkpointWords } from "./deploy-fields";
import { DestinationFields } from "./destination-fields";
import {
  EMPTY_EXPORT,
  EXPORT_FORMATS,
  type ExportForm,
  exportedForm,
  exportProblems,
  exportRequest,
  GGUF_QUANTIZATIONS,
  isExportReady,
} from "./export-form";
import { ParityOverride } from "./parity/parity-override";
import { TokenizerPre } from "./tokenizer-pre";
import { FORMATS } from "./words";

type Start = { checkpointId?: string };
type Props = { projectId: string; start: Start | null; onClose: () => void };

/** Publishes a checkpoint, or a public model in another form, to a hub. */
export function ExportDialog({ projectId, start, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(start);
  if (start !== null && start !== shown) setShown(start);
  return (
    <Modal opened={start !== null} onClose={onClose} title="Export a model" size="lg">
      {shown === null ? null : (
        <ExportFields key={JSON.stringify(shown)} projectId={projectId} start={shown} onClose={onClose} />
      )}
    </Modal>
  );
}

function ExportFields({ projectId, start, onClose }: { projectId: string; start: Start; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const [form, setForm] = useState<ExportForm>({ ...EMPTY_EXPORT, checkpointId: start.checkpointId ?? "" });
  const set = (change: Partial<ExportForm>) => setForm((before) => ({ ...before, ...change }));
  const list = useQuery(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 }));
  const checkpoints = list.data?.checkpoints.filter(isUsable) ?? [];
  const checkpoint = checkpoints.find(({ id }) => id === form.checkpointId);
  const problems = exportProblems(form);
  const create = useMutation(
    trpc.modelExports.create.mutationOptions({
      onSuccess: ({ export: { id } }) => {
        void queries.invalidateQueries({ queryKey: trpc.modelExports.pathKey() });
        notifications.show({ message: `Exporting to “${form.repoId.trim()}”` });
        router.push(exportHref(projectId, id));
      },
    }),
  );
  const said = (field: string, pointer: string) => problems.get(field) ?? fieldProblem(create.error, pointer);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isExportReady(form)) create.mutate({ projectId, ...exportRequest(form) });
      }}
    >
      <Stack gap="md">
        <SourceFields form={form} set={set} checkpoints={checkpoints} fixed={start.checkpointId !== undefined} />
        <FormatFields projectId={projectId} form={form} set={set} checkpoint={checkpoint} />
        <DestinationFields
          projectId={projectId}
          value={form}
          onChange={set}
          problems={{
            connectionId: fieldProblem(create.error, "/destination/connectionId"),
            repoId: form.repoId === "" ? null : said("destination.repoId", "/destination/repoId"),
          }}
        />
        <ParityOverride
          projectId={projectId}
          checkpointId={form.source === "checkpoint" ? form.checkpointId : ""}
          built={exportedForm(form)}
          verb="Publish"
          phrase={form.repoId.trim()}
          force={form.force}
          typed={form.typed}
          set={set}
        />
        <Refused error={create.error ?? list.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            {...(form.force ? { color: "red" } : {})}
            loading={create.isPending}
            disabled={!isExportReady(form)}
          >
            {form.force ? "Export anyway" : "Export"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type PartProps = { form: ExportForm; set: (change: Partial<ExportForm>) => void };

function SourceFields({
  form,
  set,
  checkpoints,
  fixed,
}: PartProps & { checkpoints: readonly Checkpoint[]; fixed: boolean }) {
  return (
    <>
      {fixed ? null : (
        <SegmentedControl
          aria-label="What is exported"
          style={{ alignSelf: "flex-start" }}
          value={form.source}
          onChange={(value) => set({ source: value === "hub" ? "hub" : "checkpoint", force: false, typed: "" })}
          data={[
            { value: "checkpoint", label: "A checkpoint" },
            { value: "hub", label: "A model on the hub" },
          ]}
        />
      )}
      {form.source === "checkpoint" ? (
        <NativeSelect
          size="sm"
          label="Checkpoint"
          required
          disabled={fixed}
          value={form.checkpointId}
          onChange={(event) => set({ checkpointId: event.currentTarget.value, force: false, typed: "" })}
          data={[
            { value: "", label: fixed ? "This checkpoint" : "Choose a checkpoint" },
            ...checkpoints.map((one) => ({ value: one.id, label: checkpointWords(one) })),
          ]}
        />
      ) : (
        <Group grow align="flex-start">
          <TextInput
            label="Model"
            required
            placeholder="Qwen/Qwen3-0.6B"
            description="A public model on the hub."
            maxLength={200}
            value={form.hubModel}
            error={form.hubModel === "" ? null : exportProblems(form).get("hubModel.id")}
            onChange={(event) => set({ hubModel: event.currentTarget.value })}
          />
          <TextInput
            label="Revision"
            placeholder="main"
            description="A branch, tag or commit."
            maxLength={200}
            value={form.revision}
            onChange={(event) => set({ revision: event.currentTarget.value })}
          />
        </Group>
      )}
    </>
  );
}

type FormatProps = PartProps & { projectId: string; checkpoint: Checkpoint | undefined };

/** Why a source cannot be exported in a format; `null` if it can. */
function formatProblem(format: ExportForm["format"], { source }: ExportForm, checkpoint: Checkpoint | undefined) {
  if (format !== "lora-adapter") return null;
  if (source === "hub") return "A model from the hub has no adapter to export.";
  return checkpoint?.kind === "full" ? "All weights were trained, so there is no adapter." : null;
}

function FormatFields({ projectId, form, set, checkpoint }: FormatProps) {
  const trpc = useTRPC();
  const trainers = useQuery(trpc.trainers.list.queryOptions({ projectId })).data?.trainers ?? [];
  return (
    <>
      <Radio.Group
        label="Format"
        value={form.format}
        onChange={(value) =>
          set({ format: EXPORT_FORMATS.find((one) => one === value) ?? "gguf", force: false, typed: "" })
        }
      >
        <Stack gap={8} mt={6}>
          {EXPORT_FORMATS.map((format) => {
            const problem = formatProblem(format, form, checkpoint);
            return (
              <Radio
                key={format}
                value={format}
                disabled={problem !== null}
                label={FORMATS[format].label}
                description={problem ?? FORMATS[format].description}
              />
            );
          })}
        </Stack>
      </Radio.Group>
      {form.format === "gguf" ? (
        <NativeSelect
          size="sm"
          label="Quantization"
          required
          description={missingWords(trainers, GGUF_QUANTIZATIONS) || null}
          inputWrapperOrder={["label", "input", "description"]}
          value={form.quantization}
          onChange={(event) => {
            const chosen = GGUF_QUANTIZATIONS.find((one) => one === event.currentTarget.value);
            if (chosen) set({ quantization: chosen, force: false, typed: "" });
          }}
          data={GGUF_QUANTIZATIONS.map((value) => ({
            value,
            label: value,
            disabled: quantizationProblem(trainers, value) !== null,
          }))}
        />
      ) : null}
      {form.format === "gguf" && form.source === "checkpoint" ? (
        <TokenizerPre
          value={form.tokenizerPre}
          onChange={(tokenizerPre) => set({ tokenizerPre })}
          problem={exportProblems(form).get("tokenizerPre")}
        />
      ) : null}
    </>
  );
}
