import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import type { Trainer } from "@/server/services/trainers/schemas";
import { type COMPRESSED_QUANTIZATIONS, GGUF_QUANTIZATIONS } from "@/server/services/training/settings/schemas";

export type Backend = NonNullable<Deployment["backend"]>;
export type Quantization = (typeof GGUF_QUANTIZATIONS)[number] | (typeof COMPRESSED_QUANTIZATIONS)[number];
/** A form that is built from a checkpoint, as certificates name it. */
export type BuiltForm = { kind: string; quantization: string | null };
type Form = "checkpoint" | "gguf" | "compressed";

const includes = (values: readonly string[], value: string) => values.includes(value);
const formOf = (quantization: string | null): Form =>
  quantization === null ? "checkpoint" : includes(GGUF_QUANTIZATIONS, quantization) ? "gguf" : "compressed";

/** Returns what is built from a checkpoint to serve it; `null` if it is served as it is. */
export const builtForm = (quantization: string | null): BuiltForm | null =>
  quantization === null ? null : { kind: formOf(quantization), quantization };

/** Backends that serve a form; the trainer chooses among them in this order. */
const SERVES: Record<Form, readonly Backend[]> = {
  checkpoint: ["vllm", "transformers"],
  gguf: ["llama.cpp"],
  compressed: ["vllm", "transformers"],
};

const sentence = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(" ");

/** Returns why a trainer does not support something, in its own words; `null` if it gives no reason. */
function saidOf(trainer: Trainer, ...features: string[]): string | null {
  const said = features.flatMap((name) => trainer.unavailable.find(({ feature }) => feature === name) ?? [])[0];
  return said === undefined ? null : sentence(said.reason, said.hint);
}

/** Returns why a checkpoint's profile rules a backend out. The profile is about the checkpoint itself, not a built form. */
function refusedByProfile({ inferenceProfile }: Pick<Checkpoint, "inferenceProfile">, backend: Backend): string | null {
  const list = inferenceProfile?.not_servable ?? inferenceProfile?.notServable;
  if (!Array.isArray(list)) return null;
  const found = list.find((one) => one?.backend === backend);
  return found === undefined ? null : String(found.reason ?? "Not compatible with this checkpoint.");
}

/** Returns why the trainers do not build a quantization; `null` if one does. */
export function quantizationProblem(trainers: readonly Trainer[], quantization: Quantization): string | null {
  const form = formOf(quantization);
  const can = ({ supports }: Trainer) =>
    includes(form === "gguf" ? supports.ggufQuantizations : supports.compressedQuantizations, quantization);
  if (trainers.length === 0 || trainers.some((one) => can(one) && saidOf(one, quantization) === null)) return null;
  const said = trainers.flatMap((one) => saidOf(one, quantization, form) ?? [])[0];
  return said ?? NOT_BUILT;
}

const NOT_BUILT = "The trainer can’t build it.";

/** Returns the note for a list of quantizations about those that cannot be built; empty if all can. */
export function missingWords(trainers: readonly Trainer[], quantizations: readonly Quantization[]): string {
  const reasons = new Set(quantizations.flatMap((one) => quantizationProblem(trainers, one) ?? []));
  if (reasons.size === 0) return "";
  return sentence("Some cannot be built here.", ...[...reasons].filter((reason) => reason !== NOT_BUILT));
}

/** Returns why a backend cannot serve a checkpoint in a form; `null` if it can. */
export function backendProblem(
  trainers: readonly Trainer[],
  checkpoint: Pick<Checkpoint, "inferenceProfile"> | undefined,
  backend: Backend,
  quantization: Quantization | null,
): string | null {
  const form = formOf(quantization);
  if (!SERVES[form].includes(backend)) {
    return backend === "llama.cpp"
      ? "Serves GGUF files only: choose a GGUF quantization."
      : "Does not serve GGUF files: choose llama.cpp.";
  }
  const refused = form === "checkpoint" && checkpoint !== undefined ? refusedByProfile(checkpoint, backend) : null;
  if (refused !== null) return refused;
  if (trainers.length === 0 || trainers.some(({ supports }) => supports.serveBackends.includes(backend))) return null;
  const said = trainers.flatMap((one) => saidOf(one, `serve:${backend}`) ?? [])[0];
  return said ?? "The trainer can’t serve models with it.";
}
