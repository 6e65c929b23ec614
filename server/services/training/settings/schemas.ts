import { z } from "zod";
import {
  BASE_MODEL_SOURCES,
  COMPRESSED_QUANTIZATIONS,
  GGUF_QUANTIZATIONS,
  MODEL_EXPORT_FORMATS,
  OUTPUT_FORMATS,
  TRAINING_ADAPTERS,
  TRAINING_ENGINES,
  TRAINING_METHODS,
} from "@/db/schema/enumerations";
import { ownValue } from "@/server/platform/json/own-value";
import { idInput } from "@/server/platform/schemas";

export { BASE_MODEL_SOURCES, COMPRESSED_QUANTIZATIONS, GGUF_QUANTIZATIONS, TRAINING_ADAPTERS, TRAINING_METHODS };

/** A setting that the trainer derives from the Examples, the model and its devices unless a value is given. */
const auto = <Value extends z.ZodType>(value: Value) => z.union([z.literal("auto"), value]);

/** Names that other tools use for the same settings. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  nEpochs: "numTrainEpochs",
  batchSize: "perDeviceTrainBatchSize",
  maxSeqLength: "maxLength",
  cutoffLen: "maxLength",
  sequenceLen: "maxLength",
  loraR: "r",
  fromCheckpoint: "checkpointId",
};
const ourName = (name: string) => {
  const camelCase = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return ownValue(OTHER_NAMES, camelCase) ?? camelCase;
};

/** Accepts settings under the names of TRL and other tools too; our own names take precedence. */
const named = <Settings extends z.ZodType>(settings: Settings) =>
  z.preprocess((given) => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
    const entries = Object.entries(given);
    return Object.fromEntries([
      ...entries.map(([name, value]) => [ourName(name), value] as const).filter(([name]) => !(name in given)),
      ...entries.filter(([name]) => ourName(name) === name),
    ]);
  }, settings);
const fraction = z.number().min(0).max(1);
const lessThanOne = z.number().min(0).lt(1);
const count = (max: number) => z.int().min(1).max(max);
const QUANTIZATIONS_MAX = GGUF_QUANTIZATIONS.length;

/**
 * Hyperparameters, named as in TRL and transformers, in camelCase. Default: the trainer's own for the method and adapter, which
 * the job's `resolvedSpec` shows. `beta` applies to dpo, orpo and kto; the two weights apply to kto.
 */
export const trainingSettings = z.strictObject({
  numTrainEpochs: auto(z.number().positive().max(1000)).optional(),
  /** Ends the training after this many steps, regardless of the epochs. */
  maxSteps: count(10_000_000).nullable().optional(),
  learningRate: auto(z.number().positive().max(1)).optional(),
  lrSchedulerType: z.enum(["linear", "cosine", "constant", "constant_with_warmup"]).optional(),
  warmupRatio: lessThanOne.optional(),
  perDeviceTrainBatchSize: auto(count(1024)).optional(),
  gradientAccumulationSteps: auto(count(4096)).optional(),
  /** Maximum tokens of one Example. */
  maxLength: auto(z.int().min(16).max(10_000_000)).optional(),
  /** What happens to an Example longer than that. */
  overflow: z.enum(["error", "drop", "truncate"]).optional(),
  /**
   * The messages whose tokens are learned, of those that have no weight of their own. Default: the last answer. A message's own
   * weight applies whatever this says.
   */
  trainOn: z.enum(["all_assistant", "last_assistant", "all"]).optional(),
  packing: z.boolean().optional(),
  optim: z.enum(["adamw_torch", "adamw_torch_fused", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd"]).optional(),
  weightDecay: fraction.optional(),
  maxGradNorm: z.number().min(0).max(1000).optional(),
  bf16: auto(z.boolean()).optional(),
  gradientCheckpointing: z.boolean().optional(),
  seed: z.int().min(0).max(4_294_967_295).optional(),
  beta: z.number().positive().max(100).optional(),
  /** Each method has its own: the first one named for it is its default. */
  lossType: z
    .enum([
      ...(["nll", "dft"] as const),
      ...(["sigmoid", "hinge", "ipo", "robust", "apo_zero", "apo_down", "sft"] as const),
      ...(["odds_ratio"] as const),
      ...(["kto", "apo_zero_unpaired"] as const),
    ])
    .nullable()
    .optional(),
  desirableWeight: auto(z.number().positive().max(1000)).optional(),
  undesirableWeight: auto(z.number().positive().max(1000)).optional(),
});
export type TrainingSettings = z.infer<typeof trainingSettings>;

export const LORA_RANKS = [8, 16, 32, 64, 128] as const;

/** For the adapters lora and qlora. */
export const loraSettings = z.strictObject({
  r: z.int().min(1).max(512).optional(),
  loraAlpha: count(4096).optional(),
  loraDropout: lessThanOne.optional(),
  targetModules: z.union([z.literal("all-linear"), z.array(z.string().min(1).max(200)).min(1).max(100)]).optional(),
  useRslora: z.boolean().optional(),
  useDora: z.boolean().optional(),
});

/** How the validation split is used. */
export const evaluationSettings = z.strictObject({
  /** Steps between evaluations. */
  evalSteps: auto(count(1_000_000)).optional(),
  evalOnStart: z.boolean().optional(),
  /** Ends the training after this many evaluations without a better loss. */
  earlyStoppingPatience: count(1000).nullable().optional(),
  /** How many held-out Examples have their answers recorded at each evaluation, and how long these may be. */
  samples: z
    .strictObject({ count: z.int().min(0).max(50), maxNewTokens: count(4096) })
    .partial()
    .optional(),
});

/** A repository on a model hub, and the connection whose token may write to it. */
export const destinationSettings = z.strictObject({
  connectionId: idInput,
  /** `owner/name`. Created if it does not exist. */
  repoId: z
    .string()
    .max(192)
    .regex(
      /^[A-Za-z0-9](?:[\w-]|\.(?!\.)){0,95}\/[A-Za-z0-9](?:[\w-]|\.(?!\.)){0,95}$/,
      "A repository on the hub, such as acme/support-7b.",
    ),
  private: z.boolean(),
});

type Published = { format: string; quantization?: string | undefined };

/** A GGUF file has a quantization; the other formats have none. */
export function requireQuantization({ format, quantization }: Published, check: z.RefinementCtx): void {
  if ((format === "gguf") === (quantization !== undefined)) return;
  const message = format === "gguf" ? "Choose the quantization of the GGUF file." : "Only gguf has a quantization.";
  check.addIssue({ code: "custom", path: ["quantization"], message });
}

/** Where the job's final checkpoint is published when it succeeds. */
export const plannedExport = destinationSettings
  .extend({ format: z.enum(MODEL_EXPORT_FORMATS), quantization: z.enum(GGUF_QUANTIZATIONS).optional() })
  .superRefine(requireQuantization);
export type PlannedExport = z.output<typeof plannedExport>;

/** llama.cpp's name of the pre-tokenizer, such as `qwen2`, for a model whose tokenizer its converter does not recognize. */
export const tokenizerPre = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "A name such as qwen2.");

/** What the job builds from its last checkpoint. */
export const outputSettings = z.strictObject({
  formats: z.array(z.enum(OUTPUT_FORMATS)).min(1).max(OUTPUT_FORMATS.length).default(["safetensors"]),
  ggufQuantizations: z.array(z.enum(GGUF_QUANTIZATIONS)).max(QUANTIZATIONS_MAX).default([]),
  compressedQuantizations: z.array(z.enum(COMPRESSED_QUANTIZATIONS)).max(COMPRESSED_QUANTIZATIONS.length).default([]),
  tokenizerPre: tokenizerPre.optional(),
  /** Part of the names of built files. */
  suffix: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*$/, "Letters, digits, dots, dashes and underscores.")
    .optional(),
  /** The token is checked before the job is created. */
  export: plannedExport.optional(),
});

export const limitSettings = z.strictObject({
  maxRuntimeSeconds: count(30 * 86_400)
    .nullable()
    .optional(),
  /** Maximum restarts after a crash of the worker or its machine. */
  maxRestarts: z.int().min(0).max(20).optional(),
  /** The job fails if more Examples than this cannot be used. */
  maxDroppedFraction: fraction.optional(),
  /** Without an event for this long the worker is restarted. */
  stallTimeoutSeconds: z.int().min(60).max(86_400).optional(),
});

const modelId = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[\w./:@\\+~ -]+$/, "A name such as Qwen/Qwen3-0.6B, or a path on the trainer's machine.");

/** A model from the catalogue or the project's base models, or a checkpoint to continue training from. */
export const baseModelChoice = z.union([
  z.strictObject({
    id: modelId,
    /** A commit, branch or tag on the hub. The job pins the commit. */
    revision: z.string().min(1).max(200).nullable().optional(),
    source: z.enum(BASE_MODEL_SOURCES).default("hub"),
  }),
  z.strictObject({ checkpointId: idInput }),
]);
export type BaseModelChoice = z.infer<typeof baseModelChoice>;

/** The settings that a job and a tuning configuration share. */
export const trainingChoice = {
  baseModel: named(baseModelChoice),
  engine: z.enum(TRAINING_ENGINES).default("transformers"),
  method: z.enum(TRAINING_METHODS),
  adapter: z.enum(TRAINING_ADAPTERS),
  training: named(trainingSettings).default({}),
  lora: named(loraSettings).default({}),
  evaluation: named(evaluationSettings).default({}),
  output: named(outputSettings).default({
    formats: ["safetensors"],
    ggufQuantizations: [],
    compressedQuantizations: [],
  }),
  limits: named(limitSettings).default({}),
};
