import { expect, test } from "vitest";
import type { Trainer } from "@/server/services/fine-tuning/trainers/schemas";
import { backendProblem, quantizationProblem } from "./backends";

const trainer = {
  supports: {
    methods: [],
    adapters: [],
    formats: [],
    ggufQuantizations: ["q8_0"],
    compressedQuantizations: [],
    serveBackends: ["transformers", "llama.cpp"],
  },
  unavailable: [
    { feature: "serve:vllm", reason: "vLLM needs a GPU.", hint: "Attach a machine with one." },
    { feature: "compressed", reason: "llmcompressor is not installed.", hint: null },
  ],
} as unknown as Trainer;
const checkpoint = { inferenceProfile: null };

test("a backend that the trainer lacks is named with the trainer's reason and hint", () => {
  expect(backendProblem([trainer], checkpoint, "vllm", null)).toBe("vLLM needs a GPU. Attach a machine with one.");
  expect(backendProblem([trainer], checkpoint, "transformers", null)).toBeNull();
});

test("GGUF files are served by llama.cpp and by nothing else, and llama.cpp serves nothing else", () => {
  expect(backendProblem([trainer], checkpoint, "llama.cpp", null)).toMatch(/GGUF files only/);
  expect(backendProblem([trainer], checkpoint, "transformers", "q8_0")).toMatch(/llama.cpp does/);
  expect(backendProblem([trainer], checkpoint, "llama.cpp", "q8_0")).toBeNull();
});

test("a checkpoint's profile rules a backend out for the checkpoint as it is, and not for what is built from it", () => {
  const inferenceProfile = { not_servable: [{ backend: "transformers", reason: "Its template needs a tool." }] };
  expect(backendProblem([trainer], { inferenceProfile }, "transformers", null)).toBe("Its template needs a tool.");
  expect(backendProblem([trainer], { inferenceProfile }, "transformers", "int8")).toBeNull();
});

test("a quantization that no trainer builds says why; without a known trainer nothing is ruled out", () => {
  expect(quantizationProblem([trainer], "q8_0")).toBeNull();
  expect(quantizationProblem([trainer], "q4_0")).toBe("The trainer can’t build it.");
  expect(quantizationProblem([trainer], "int8")).toBe("llmcompressor is not installed.");
  expect(quantizationProblem([], "int8")).toBeNull();
});
