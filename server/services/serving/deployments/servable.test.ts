import { expect, test } from "vitest";
import { readCapabilities } from "@/server/services/trainers/capabilities";
import { formOf, requireServable } from "./servable";

const CAN = readCapabilities({
  serve_backends: ["transformers", "llama.cpp"],
  gguf_quantizations: ["q8_0", "q4_k_m"],
  compressed_quantizations: ["int8"],
  unavailable: [
    { feature: "serve:vllm", reason: "vLLM is not installed.", hint: "Install the extra vllm." },
    { feature: "q4_k_m", reason: "libllama is missing.", hint: null },
  ],
});
const as = (backend: "auto" | "transformers" | "llama.cpp" | "vllm", quantization: string | null = null) => ({
  backend,
  quantization,
});
const refusal = (asked: ReturnType<typeof as>, profile: object | null = null, can = CAN): string => {
  try {
    requireServable(asked, profile, can);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("a form is accepted if the trainer has a backend for it", () => {
  expect(refusal(as("auto"))).toBe("");
  expect(refusal(as("auto", "q8_0"))).toBe("");
  expect(refusal(as("llama.cpp", "q8_0"))).toBe("");
  expect(refusal(as("transformers", "int8"))).toBe("");
});

test("a form that the trainer cannot serve is refused with the trainer's reason and remedy", () => {
  expect(refusal(as("vllm"))).toContain("vllm: vLLM is not installed. Install the extra vllm.");
  expect(refusal(as("auto", "q4_k_m"))).toContain("llama.cpp: libllama is missing.");
});

test("a profile rules out backends for the checkpoint itself, but not for forms built from it", () => {
  const profile = {
    not_servable: [
      { backend: "transformers", reason: "Too new." },
      { backend: "llama.cpp", reason: "No." },
    ],
  };
  expect(refusal(as("transformers"), profile)).toContain("transformers: Too new.");
  expect(refusal(as("auto", "q8_0"), profile)).toBe("");
});

test("a trainer of an earlier version without serving is refused with the advice to update it", () => {
  const before = readCapabilities({ gguf_quantizations: ["q8_0"] });
  expect(refusal(as("auto"), null, before)).toContain("This version of the trainer does not serve models. Update it.");
});

test("a quantization decides which form is built", () => {
  expect([formOf(null), formOf("q8_0"), formOf("int8")]).toEqual([
    null,
    { kind: "gguf", quantization: "q8_0" },
    { kind: "compressed", quantization: "int8" },
  ]);
});
