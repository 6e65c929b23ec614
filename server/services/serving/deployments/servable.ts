import { COMPRESSED_QUANTIZATIONS, GGUF_QUANTIZATIONS, type SERVE_BACKENDS } from "@/db/schema/enumerations";
import { unprocessable } from "@/server/platform/errors";
import type { Capabilities } from "@/server/services/trainers";

export type ServeBackend = (typeof SERVE_BACKENDS)[number];
/** A form that is built from a checkpoint and has to answer like it. */
export type Form = { kind: "gguf" | "compressed"; quantization: string };
export type Profile = { not_servable?: unknown } | null;
type Input = { backend: ServeBackend | "auto"; quantization: string | null };

const isOneOf = (values: readonly string[], value: string | null) => value !== null && values.includes(value);

/** Returns the built form that a deployment serves; `null` for the checkpoint itself. */
export function formOf(quantization: string | null): Form | null {
  if (quantization === null) return null;
  return { kind: isOneOf(GGUF_QUANTIZATIONS, quantization) ? "gguf" : "compressed", quantization };
}

/** The backends for a form, in order of preference. */
const BACKENDS_OF: Record<Form["kind"] | "checkpoint", readonly ServeBackend[]> = {
  gguf: ["llama.cpp"],
  compressed: ["vllm", "transformers"],
  checkpoint: ["vllm", "transformers"],
};

/**
 * Returns why the checkpoint's own profile rules out a backend. The profile is about the checkpoint itself, not about forms
 * built from it.
 */
function refusedByProfile(profile: Profile, form: Form | null, backend: ServeBackend): string | null {
  if (form !== null || !Array.isArray(profile?.not_servable)) return null;
  const found = profile.not_servable.find((one: { backend?: unknown } | null) => one?.backend === backend);
  return found ? String((found as { reason?: unknown }).reason ?? "It gave no reason.") : null;
}

function refusedByTrainer(can: Capabilities, form: Form | null, backend: ServeBackend): string | null {
  const said = (feature: string) => can.unavailable.find((one) => one.feature === feature);
  const because = (feature: string, otherwise: string) => {
    const found = said(feature);
    return found ? [found.reason, found.hint].filter(Boolean).join(" ") : otherwise;
  };
  if (!can.serve_backends.includes(backend)) {
    const otherwise =
      can.serve_backends.length === 0
        ? "This version of the trainer does not serve models. Update it."
        : `The trainer does not serve with ${backend}.`;
    return because(`serve:${backend}`, otherwise);
  }
  if (form === null) return null;
  const built = form.kind === "gguf" ? can.gguf_quantizations : can.compressed_quantizations;
  if (built.includes(form.quantization) && !said(form.quantization)) return null;
  return because(form.quantization, because(form.kind, `The trainer does not build ${form.quantization}.`));
}

/**
 * Throws a 422, with the reason for each backend, unless one of the allowed backends can serve the form. The trainer chooses
 * among those that can.
 */
export function requireServable({ backend, quantization }: Input, profile: Profile, can: Capabilities): void {
  const form = formOf(quantization);
  const possible = BACKENDS_OF[form?.kind ?? "checkpoint"];
  if (backend !== "auto" && !possible.includes(backend)) {
    const forms = COMPRESSED_QUANTIZATIONS.join(", ");
    const message =
      backend === "llama.cpp"
        ? `llama.cpp serves GGUF files only: choose one of its quantizations, such as ${GGUF_QUANTIZATIONS[1]}.`
        : `${backend} does not serve ${quantization}: choose llama.cpp for it, or ${forms}.`;
    throw unprocessable("/backend", message);
  }
  const input = backend === "auto" ? possible : [backend];
  const refusals = input.map((one) => ({
    one,
    why: refusedByProfile(profile, form, one) ?? refusedByTrainer(can, form, one),
  }));
  if (refusals.some(({ why }) => why === null)) return;
  const reasons = refusals.map(({ one, why }) => `${one}: ${why}`).join(" ");
  throw unprocessable("/backend", `This model cannot be served. ${reasons}`.slice(0, 4000));
}
