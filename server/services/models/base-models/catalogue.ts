/** What is known of an open model before a trainer has loaded it. */
type CatalogueModel = {
  id: string;
  name: string;
  family: string;
  license: string;
  /** Whether its owner requires consent before a download; `null` when unknown. */
  gated: boolean | null;
  /** In billions, without those of a vision tower. */
  parameters: number | null;
  /** Tokens, without any scaling that has to be configured. */
  contextLength: number | null;
  hasTemplate: boolean;
  /** Whether the template supports tools; `null` when unknown. */
  toolCalls: boolean | null;
};

/** Families for whose chat template TRL has a training variant that marks the assistant's tokens. */
const TRAINING_TEMPLATES: readonly string[] = ["llama3", "qwen2.5", "qwen3", "gemma3", "phi3"];
/** Families known to have none: training on the last answer still works. */
const WITHOUT_TRAINING_TEMPLATE: readonly string[] = ["mistral"];

const qwen25 = (size: string, parameters: number, license = "apache-2.0"): CatalogueModel => ({
  id: `Qwen/Qwen2.5-${size}-Instruct`,
  name: `Qwen2.5 ${size} Instruct`,
  family: "qwen2.5",
  license,
  gated: false,
  parameters,
  contextLength: 32_768,
  hasTemplate: true,
  toolCalls: true,
});
const qwen3 = (size: string, parameters: number, contextLength: number): CatalogueModel => ({
  id: `Qwen/Qwen3-${size}`,
  name: `Qwen3 ${size}`,
  family: "qwen3",
  license: "apache-2.0",
  gated: false,
  parameters,
  contextLength,
  hasTemplate: true,
  toolCalls: true,
});
const llama3 = (version: string, size: string, parameters: number, license: string): CatalogueModel => ({
  id: `meta-llama/Llama-${version}-${size}-Instruct`,
  name: `Llama ${version} ${size} Instruct`,
  family: "llama3",
  license,
  gated: true,
  parameters,
  contextLength: 131_072,
  hasTemplate: true,
  toolCalls: true,
});
const gemma3 = (size: string, parameters: number, contextLength: number): CatalogueModel => ({
  id: `google/gemma-3-${size}-it`,
  name: `Gemma 3 ${size.toUpperCase()} Instruct`,
  family: "gemma3",
  license: "gemma",
  gated: true,
  parameters,
  contextLength,
  hasTemplate: true,
  toolCalls: false,
});

/**
 * Well-known open models, by family and size. Compiled on 2026-11-24 from the owners' model cards and configurations as far as
 * we know them, and, for the training templates, from TRL 1.16's list. Nothing here is fetched, and whatever is uncertain is
 * `null`. A job resolves and pins the revision itself.
 */
export const CATALOGUE: readonly CatalogueModel[] = [
  qwen3("0.6B", 0.6, 40_960),
  qwen3("1.7B", 1.7, 40_960),
  qwen3("4B", 4, 40_960),
  qwen3("8B", 8.2, 40_960),
  qwen3("14B", 14.8, 40_960),
  qwen3("32B", 32.8, 40_960),
  qwen25("0.5B", 0.5),
  qwen25("1.5B", 1.5),
  qwen25("3B", 3.1, "qwen-research"),
  qwen25("7B", 7.6),
  qwen25("14B", 14.7),
  qwen25("32B", 32.5),
  llama3("3.2", "1B", 1.2, "llama3.2"),
  llama3("3.2", "3B", 3.2, "llama3.2"),
  llama3("3.1", "8B", 8, "llama3.1"),
  llama3("3.1", "70B", 70.6, "llama3.1"),
  llama3("3.3", "70B", 70.6, "llama3.3"),
  gemma3("1b", 1, 32_768),
  gemma3("4b", 4.3, 131_072),
  gemma3("12b", 12, 131_072),
  gemma3("27b", 27, 131_072),
  {
    id: "microsoft/Phi-3.5-mini-instruct",
    name: "Phi-3.5 Mini Instruct",
    family: "phi3",
    license: "mit",
    gated: false,
    parameters: 3.8,
    contextLength: 131_072,
    hasTemplate: true,
    toolCalls: false,
  },
  {
    id: "mistralai/Mistral-7B-Instruct-v0.3",
    name: "Mistral 7B Instruct v0.3",
    family: "mistral",
    license: "apache-2.0",
    gated: null,
    parameters: 7.2,
    contextLength: 32_768,
    hasTemplate: true,
    toolCalls: true,
  },
  {
    id: "HuggingFaceTB/SmolLM2-135M-Instruct",
    name: "SmolLM2 135M Instruct",
    family: "smollm2",
    license: "apache-2.0",
    gated: false,
    parameters: 0.135,
    contextLength: 8_192,
    hasTemplate: true,
    toolCalls: null,
  },
  {
    id: "HuggingFaceTB/SmolLM2-1.7B-Instruct",
    name: "SmolLM2 1.7B Instruct",
    family: "smollm2",
    license: "apache-2.0",
    gated: false,
    parameters: 1.7,
    contextLength: 8_192,
    hasTemplate: true,
    toolCalls: null,
  },
];

/** Returns whether the trainer can identify the assistant's tokens in a family's template; `null` when unknown. */
export function trainingCompatible(family: string): boolean | null {
  if (TRAINING_TEMPLATES.includes(family)) return true;
  return WITHOUT_TRAINING_TEMPLATE.includes(family) ? false : null;
}
