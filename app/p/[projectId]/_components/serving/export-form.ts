import { createExportInput, EXPORT_FORMATS } from "@/server/services/model-exports/schemas";
import { GGUF_QUANTIZATIONS } from "@/server/services/training/settings/schemas";
import type { BuiltForm } from "./backends";
import type { Destination } from "./destination-fields";

export { EXPORT_FORMATS, GGUF_QUANTIZATIONS };
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export type ExportForm = Destination & {
  source: "checkpoint" | "hub";
  checkpointId: string;
  hubModel: string;
  revision: string;
  format: ExportFormat;
  quantization: (typeof GGUF_QUANTIZATIONS)[number];
  /** llama.cpp's name of the pre-tokenizer; empty to leave it to its converter. */
  tokenizerPre: string;
  force: boolean;
  /** The repository, typed again to force the export. */
  typed: string;
};

export const EMPTY_EXPORT: ExportForm = {
  source: "checkpoint",
  checkpointId: "",
  hubModel: "",
  revision: "",
  format: "gguf",
  quantization: "q4_k_m",
  tokenizerPre: "",
  connectionId: "",
  repoId: "",
  private: true,
  force: false,
  typed: "",
};

/** Returns the request that a form describes, without the fields that do not apply. */
export const exportRequest = (form: ExportForm) => ({
  ...(form.source === "checkpoint"
    ? { checkpointId: form.checkpointId }
    : {
        hubModel: {
          id: form.hubModel.trim(),
          ...(form.revision.trim() === "" ? {} : { revision: form.revision.trim() }),
        },
      }),
  format: form.format,
  ...(form.format === "gguf" ? { quantization: form.quantization } : {}),
  ...(form.format === "gguf" && form.source === "checkpoint" && form.tokenizerPre.trim() !== ""
    ? { tokenizerPre: form.tokenizerPre.trim() }
    : {}),
  destination: { connectionId: form.connectionId, repoId: form.repoId.trim(), private: form.private },
  force: form.source === "checkpoint" && form.force,
});

/** Returns the problems with fields that have been filled in, by path; empty if the form can be sent. */
export function exportProblems(form: ExportForm): Map<string, string> {
  const parsed = createExportInput.safeParse(exportRequest(form));
  return new Map(parsed.error?.issues.map(({ path, message }) => [path.join("."), message]) ?? []);
}

export const isExportReady = (form: ExportForm) =>
  form.connectionId !== "" &&
  (form.source === "hub" || form.checkpointId !== "") &&
  exportProblems(form).size === 0 &&
  (!form.force || form.typed === form.repoId.trim());

/** Returns what is built from a checkpoint for an export; `null` for what is published as it is. */
export const exportedForm = ({ source, format, quantization }: ExportForm): BuiltForm | null =>
  source === "hub" || format === "lora-adapter"
    ? null
    : { kind: format, quantization: format === "gguf" ? quantization : null };
