import type { TrainingJob } from "@/server/services/training/jobs/schemas";

export type JobStatus = TrainingJob["status"];
type Method = TrainingJob["method"];
type Adapter = TrainingJob["adapter"];

export const STATUS: Record<JobStatus, { word: string; color: string; hollow?: true }> = {
  queued: { word: "Queued", color: "var(--severity-info)", hollow: true },
  validating: { word: "Validating", color: "var(--severity-low)", hollow: true },
  running: { word: "Running", color: "var(--severity-low)" },
  pausing: { word: "Pausing", color: "var(--severity-info)", hollow: true },
  paused: { word: "Paused", color: "var(--severity-info)", hollow: true },
  cancelling: { word: "Cancelling", color: "var(--severity-info)", hollow: true },
  succeeded: { word: "Succeeded", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
  cancelled: { word: "Cancelled", color: "var(--severity-info)" },
};
export const STATUSES = Object.keys(STATUS) as JobStatus[];

type MethodWords = {
  label: string;
  name: string;
  description: string;
  /** The trainer's defaults, as shown. */
  epochs: string;
  learningRate: { full: string; adapter: string };
  /** What it can be set besides what every method has. */
  settings: readonly string[];
};

export const METHODS: Record<Method, MethodWords> = {
  sft: {
    label: "SFT",
    name: "Supervised fine-tuning",
    description: "Learns the expected answers. The place to start, and often all you need.",
    epochs: "3",
    learningRate: { full: "2e-5", adapter: "2e-4" },
    settings: ["trainOn", "packing"],
  },
  dpo: {
    label: "DPO",
    name: "Direct preference optimization",
    description: "Learns to prefer the expected answer to the rejected one. Every Example needs both.",
    epochs: "1",
    learningRate: { full: "5e-7", adapter: "5e-6" },
    settings: ["beta"],
  },
  orpo: {
    label: "ORPO",
    name: "Odds ratio preference optimization",
    description: "Learns answers and preferences together, without a reference model: less memory than DPO.",
    epochs: "1",
    learningRate: { full: "1e-6", adapter: "8e-6" },
    settings: ["beta"],
  },
  kto: {
    label: "KTO",
    name: "Kahneman–Tversky optimization",
    description: "Learns from answers that are good or bad on their own. Needs some of each.",
    epochs: "1",
    learningRate: { full: "1e-6", adapter: "5e-6" },
    settings: ["beta", "desirableWeight", "undesirableWeight"],
  },
};
export const ADAPTERS: Record<Adapter, { label: string; name: string; description: string }> = {
  lora: {
    label: "LoRA",
    name: "LoRA",
    description: "Trains a small adapter beside the model. Fast, and only megabytes in size.",
  },
  qlora: {
    label: "QLoRA",
    name: "QLoRA",
    description: "LoRA on a 4-bit model: about a third of the memory, somewhat slower.",
  },
  full: {
    label: "Full",
    name: "Full",
    description: "Trains every weight. Needs the most memory, and saves the whole model.",
  },
};
export const howWords = ({ method, adapter }: { method: Method; adapter: Adapter }) =>
  `${METHODS[method].label} · ${ADAPTERS[adapter].label}`;

const PHASES: Record<string, string> = {
  dispatching: "Sending to the trainer",
  downloading_model: "Downloading the model",
  loading_model: "Loading the model",
  preparing_dataset: "Preparing the Examples",
  baseline_eval: "Evaluating before training",
  training: "Training",
  saving: "Saving a checkpoint",
  evaluating: "Evaluating",
  merging: "Merging the adapter",
  converting: "Converting to GGUF",
  quantizing: "Quantizing",
  finalizing: "Finishing",
};
/** A phase that this version does not know is shown as the trainer named it. */
export const phaseWords = (phase: string) => PHASES[phase] ?? phase.replaceAll("_", " ");

export const STOP_REASONS: Record<NonNullable<TrainingJob["stopReason"]>, string> = {
  completed: "Completed",
  early_stopped: "Stopped early: the evaluation no longer improved",
  max_steps: "Stopped at the maximum number of steps",
  max_runtime: "Stopped at the maximum time",
  user: "Stopped manually",
};

export const BLAME: Record<string, string> = {
  user: "The settings or the Examples",
  platform: "Whetstone",
  hardware: "The machine",
  dependency: "A dependency of the trainer",
};

const UNFINISHED: ReadonlySet<JobStatus> = new Set<JobStatus>([
  "queued",
  "validating",
  "running",
  "pausing",
  "paused",
  "cancelling",
]);
export const isUnfinished = ({ status }: Pick<TrainingJob, "status">) => UNFINISHED.has(status);
/** Whether its state changes by itself. */
export const isMoving = ({ status }: Pick<TrainingJob, "status">) => UNFINISHED.has(status) && status !== "paused";
export const canPause = ({ status }: Pick<TrainingJob, "status">) => status === "running";
export const canCancel = ({ status }: Pick<TrainingJob, "status">) => UNFINISHED.has(status) && status !== "cancelling";

/** `Qwen3-0.6B` of `Qwen/Qwen3-0.6B`, for a column. */
export const shortModel = (id: string) => id.split("/").at(-1) || id;

/** Milliseconds from the start to the end, or to now. */
export const tookMs = ({ startedAt, finishedAt }: TrainingJob, now: number) =>
  startedAt === null ? null : Math.max(0, (finishedAt ?? now) - startedAt);
