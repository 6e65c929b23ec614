import { LORA_RANKS, outputSettings } from "@/server/services/training/settings/schemas";
import { METHODS } from "../../../_components/training/words";
import type { Draft, Part } from "./draft";

type Choice = readonly { value: string; label: string }[];
type Of = Pick<Draft, "method" | "adapter">;
export type SettingField = {
  part: Part;
  name: string;
  label: string;
  /** What it does, in a few words. */
  description?: string;
  /** Numbers may have `min` and `max`; choices and names are strings. */
  kind: "integer" | "number" | "choice" | "yesno" | "name";
  choices?: Choice;
  min?: number;
  max?: number;
  /** The trainer's default, as shown; a function if it depends on method or adapter. */
  byDefault: string | ((of: Of) => string);
  /** Shown only for these. */
  when?: (of: Of) => boolean;
};

const hasSetting =
  (name: string) =>
  ({ method }: Of) =>
    METHODS[method].settings.includes(name);
const hasAdapter = ({ adapter }: Of) => adapter !== "full";

export const BASIC: readonly SettingField[] = [
  {
    part: "training",
    name: "numTrainEpochs",
    label: "Epochs",
    description: "Passes over the Examples",
    kind: "number",
    min: 0.01,
    max: 1000,
    byDefault: ({ method }) => METHODS[method].epochs,
  },
  {
    part: "training",
    name: "learningRate",
    label: "Learning rate",
    kind: "number",
    min: 1e-9,
    max: 1,
    byDefault: ({ method, adapter }) => METHODS[method].learningRate[adapter === "full" ? "full" : "adapter"],
  },
  {
    part: "training",
    name: "maxLength",
    label: "Maximum length",
    description: "Of an Example, in tokens",
    kind: "integer",
    min: 16,
    max: 10_000_000,
    byDefault: "from the Examples",
  },
  {
    part: "training",
    name: "overflow",
    label: "Longer Examples",
    kind: "choice",
    choices: [
      { value: "error", label: "Fail the run" },
      { value: "drop", label: "Exclude" },
      { value: "truncate", label: "Truncate" },
    ],
    byDefault: "exclude",
  },
  {
    part: "training",
    name: "beta",
    label: "Beta",
    description: "How close it stays to the original model",
    kind: "number",
    min: 0.0001,
    max: 100,
    byDefault: "0.1",
    when: hasSetting("beta"),
  },
  {
    part: "lora",
    name: "r",
    label: "LoRA rank",
    description: "Higher learns more and needs more memory",
    kind: "choice",
    choices: LORA_RANKS.map((rank) => ({ value: String(rank), label: String(rank) })),
    byDefault: "16",
    when: hasAdapter,
  },
  {
    part: "lora",
    name: "loraAlpha",
    label: "LoRA alpha",
    kind: "integer",
    min: 1,
    max: 4096,
    byDefault: "32",
    when: hasAdapter,
  },
];

export const ADVANCED: readonly SettingField[] = [
  {
    part: "training",
    name: "perDeviceTrainBatchSize",
    label: "Batch size",
    description: "Examples per device at a time",
    kind: "integer",
    min: 1,
    max: 1024,
    byDefault: "from the available memory",
  },
  {
    part: "training",
    name: "gradientAccumulationSteps",
    label: "Gradient accumulation",
    description: "Batches per step",
    kind: "integer",
    min: 1,
    max: 4096,
    byDefault: "16 Examples per step",
  },
  {
    part: "training",
    name: "maxSteps",
    label: "Maximum steps",
    kind: "integer",
    min: 1,
    max: 10_000_000,
    byDefault: "from the epochs",
  },
  {
    part: "training",
    name: "lrSchedulerType",
    label: "Schedule",
    description: "Of the learning rate",
    kind: "choice",
    choices: ["linear", "cosine", "constant", "constant_with_warmup"].map((value) => ({
      value,
      label: value.replaceAll("_", " "),
    })),
    byDefault: "cosine",
  },
  {
    part: "training",
    name: "warmupRatio",
    label: "Warm-up",
    description: "Fraction of the steps",
    kind: "number",
    min: 0,
    max: 0.99,
    byDefault: "0.03",
  },
  {
    part: "training",
    name: "trainOn",
    label: "Train on",
    kind: "choice",
    choices: [
      { value: "all_assistant", label: "Every answer" },
      { value: "last_assistant", label: "The last answer" },
      { value: "all", label: "Everything" },
    ],
    description: "Answers that have no weight of their own",
    byDefault: "the last answer",
    when: hasSetting("trainOn"),
  },
  {
    part: "training",
    name: "packing",
    label: "Packing",
    description: "Short Examples share a row",
    kind: "yesno",
    byDefault: "no",
    when: hasSetting("packing"),
  },
  { part: "training", name: "weightDecay", label: "Weight decay", kind: "number", min: 0, max: 1, byDefault: "0" },
  {
    part: "training",
    name: "maxGradNorm",
    label: "Gradient clipping",
    kind: "number",
    min: 0,
    max: 1000,
    byDefault: "1",
  },
  { part: "training", name: "seed", label: "Seed", kind: "integer", min: 0, max: 4_294_967_295, byDefault: "42" },
  {
    part: "training",
    name: "gradientCheckpointing",
    label: "Gradient checkpointing",
    description: "Slower, uses less memory",
    kind: "yesno",
    byDefault: "yes",
  },
  { part: "training", name: "bf16", label: "bfloat16", kind: "yesno", byDefault: "if the device supports it" },
  {
    part: "training",
    name: "desirableWeight",
    label: "Weight of good answers",
    kind: "number",
    min: 0.001,
    max: 1000,
    byDefault: "by their counts",
    when: hasSetting("desirableWeight"),
  },
  {
    part: "training",
    name: "undesirableWeight",
    label: "Weight of bad answers",
    kind: "number",
    min: 0.001,
    max: 1000,
    byDefault: "by their counts",
    when: hasSetting("undesirableWeight"),
  },
  {
    part: "lora",
    name: "loraDropout",
    label: "LoRA dropout",
    kind: "number",
    min: 0,
    max: 0.99,
    byDefault: "0",
    when: hasAdapter,
  },
  { part: "lora", name: "useRslora", label: "Rank-stabilized LoRA", kind: "yesno", byDefault: "no", when: hasAdapter },
  {
    part: "lora",
    name: "useDora",
    label: "DoRA",
    description: "Cannot be served as an adapter",
    kind: "yesno",
    byDefault: "no",
    when: hasAdapter,
  },
  {
    part: "evaluation",
    name: "evalSteps",
    label: "Evaluate every",
    description: "In steps",
    kind: "integer",
    min: 1,
    max: 1_000_000,
    byDefault: "from the length of the run",
  },
  {
    part: "evaluation",
    name: "earlyStoppingPatience",
    label: "Stop early after",
    description: "Evaluations without improvement",
    kind: "integer",
    min: 1,
    max: 1000,
    byDefault: "never",
  },
  {
    part: "limits",
    name: "maxRuntimeSeconds",
    label: "Maximum run time",
    description: "In seconds",
    kind: "integer",
    min: 1,
    max: 2_592_000,
    byDefault: "no limit",
  },
  {
    part: "limits",
    name: "maxRestarts",
    label: "Restarts after a crash",
    kind: "integer",
    min: 0,
    max: 20,
    byDefault: "3",
  },
  {
    part: "limits",
    name: "maxDroppedFraction",
    label: "Maximum excluded",
    description: "Fraction of the Examples",
    kind: "number",
    min: 0,
    max: 1,
    byDefault: "0.3",
  },
  {
    part: "output",
    name: "tokenizerPre",
    label: "Pre-tokenizer for GGUF",
    description: "If llama.cpp does not recognize the model’s",
    kind: "name",
    byDefault: "recognized",
  },
];

export const defaultWords = ({ byDefault }: SettingField, of: Of) =>
  typeof byDefault === "string" ? byDefault : byDefault(of);

const YES = "yes";

/** Returns a setting as its field shows it; empty for the default. */
export function shownValue({ kind }: SettingField, value: unknown): string {
  if (value === undefined || value === null || value === "auto") return "";
  return kind === "yesno" ? (value === true ? YES : "no") : String(value);
}

/** Returns the value of a field's text; `undefined` for the default, and for an invalid number. */
export function readValue({ kind, name }: SettingField, text: string): unknown {
  if (text.trim() === "") return undefined;
  if (kind === "yesno") return text === YES;
  if (kind === "name") return text.trim();
  if (kind === "choice" && name !== "r") return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Returns what is wrong with a number or a name, or `null`. */
export function problemWith({ kind, min, max }: SettingField, text: string): string | null {
  if (kind === "name")
    return outputSettings.shape.tokenizerPre.safeParse(text.trim() || undefined).success
      ? null
      : "Enter a name such as qwen2.";
  if (text.trim() === "" || (kind !== "integer" && kind !== "number")) return null;
  const value = Number(text);
  if (!Number.isFinite(value)) return "Enter a number.";
  if (kind === "integer" && !Number.isInteger(value)) return "Enter a whole number.";
  if (min !== undefined && value < min) return `Enter ${min} or more.`;
  if (max !== undefined && value > max) return `Enter ${max} or less.`;
  return null;
}
