import type { ModelExport } from "@/server/services/model-exports/schemas";
import type { Certificate } from "@/server/services/proof/certificates/schemas";
import { type Deployment, LIVE_DEPLOYMENT_STATUSES } from "@/server/services/serving/deployments/schemas";

type Look = { word: string; color: string; hollow?: true };
type DeploymentStatus = Deployment["status"];
type ExportStatus = ModelExport["status"];

export const DEPLOYMENT_STATUS: Record<DeploymentStatus, Look> = {
  pending: { word: "Pending", color: "var(--severity-info)", hollow: true },
  preparing: { word: "Preparing", color: "var(--severity-low)", hollow: true },
  starting: { word: "Starting", color: "var(--severity-low)", hollow: true },
  verifying: { word: "Verifying", color: "var(--severity-low)", hollow: true },
  running: { word: "Running", color: "var(--state-ok)" },
  stopping: { word: "Stopping", color: "var(--severity-info)", hollow: true },
  stopped: { word: "Stopped", color: "var(--severity-info)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
  timeout: { word: "Timed out", color: "var(--severity-critical)" },
};
export const DEPLOYMENT_STATUSES = Object.keys(DEPLOYMENT_STATUS) as DeploymentStatus[];

const LIVE: ReadonlySet<DeploymentStatus> = new Set(LIVE_DEPLOYMENT_STATUSES);
/** Whether it has not ended. */
export const isLive = ({ status }: Pick<Deployment, "status">) => LIVE.has(status);
/** Whether its status changes by itself. */
export const isChanging = (of: Pick<Deployment, "status">) => isLive(of) && of.status !== "running";
export const isStarting = (of: Pick<Deployment, "status">) => isChanging(of) && of.status !== "stopping";

export const BACKENDS: Record<NonNullable<Deployment["backend"]>, { label: string; description: string }> = {
  transformers: { label: "Transformers", description: "Answers exactly like the checkpoint. One call at a time." },
  "llama.cpp": { label: "llama.cpp", description: "Serves GGUF files, with or without a GPU." },
  vllm: { label: "vLLM", description: "Concurrent calls. Needs a GPU." },
};
export const backendWords = (backend: Deployment["backend"]) =>
  backend === null ? "Not chosen yet" : BACKENDS[backend].label;

export const FORMATS: Record<ModelExport["format"], { label: string; description: string }> = {
  gguf: { label: "GGUF", description: "One quantized file, for llama.cpp and Ollama." },
  "merged-16bit": {
    label: "Merged, 16-bit",
    description: "The whole model with what it learned, for Transformers and vLLM.",
  },
  "lora-adapter": { label: "LoRA adapter", description: "Only what it learned, to load on top of its base model." },
};
export const formatWords = ({ format, quantization }: Pick<ModelExport, "format" | "quantization">) =>
  quantization === null ? FORMATS[format].label : `${FORMATS[format].label} ${quantization}`;

export const EXPORT_STATUS: Record<ExportStatus, Look> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  preflight: { word: "Checking", color: "var(--severity-low)", hollow: true },
  building: { word: "Building", color: "var(--severity-low)", hollow: true },
  uploading: { word: "Uploading", color: "var(--severity-low)" },
  succeeded: { word: "Published", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
  cancelled: { word: "Cancelled", color: "var(--severity-info)" },
};
export const EXPORT_STATUSES = Object.keys(EXPORT_STATUS) as ExportStatus[];
const ENDED: ReadonlySet<ExportStatus> = new Set<ExportStatus>(["succeeded", "failed", "cancelled"]);
export const isUnfinishedExport = ({ status }: Pick<ModelExport, "status">) => !ENDED.has(status);
export const canCancelExport = (of: Pick<ModelExport, "status" | "cancelRequestedAt">) =>
  isUnfinishedExport(of) && of.cancelRequestedAt === null;

export const CERTIFICATE_STATUS: Record<Certificate["status"], Look> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  running: { word: "Comparing answers", color: "var(--severity-low)", hollow: true },
  ready: { word: "Ready", color: "var(--state-ok)" },
  failed: { word: "Could not be compared", color: "var(--severity-critical)" },
};
export const PARITY: Record<NonNullable<Certificate["verdict"]>, Look> = {
  passed: { word: "Answers match", color: "var(--state-ok)" },
  failed: { word: "Answers differ", color: "var(--severity-critical)" },
};
export const isComparing = ({ status }: Pick<Certificate, "status">) => status === "queued" || status === "running";

type Subject = NonNullable<Certificate["subjects"]>[number];
export const SUBJECT_VERDICT: Record<NonNullable<Subject["verdict"]>, Look> = {
  same: { word: "Same", color: "var(--state-ok)" },
  close: { word: "Close", color: "var(--severity-medium)" },
  different: { word: "Different", color: "var(--severity-critical)" },
};

const KINDS: Record<string, string> = {
  "merged-16bit": "Merged, 16-bit",
  "lora-adapter": "LoRA adapter",
  gguf: "GGUF",
  "gguf-lora": "GGUF adapter",
  compressed: "Compressed",
  deployment: "Deployment",
};
/** `GGUF q4_k_m`; a kind that this version does not know is shown as the trainer named it. */
export const formWords = ({ kind, quantization }: { kind: string; quantization: string | null }) =>
  `${KINDS[kind] ?? kind.replaceAll("_", " ")}${quantization === null ? "" : ` ${quantization}`}`;
