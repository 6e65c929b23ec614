import { expect, test } from "vitest";
import type { Trainer } from "@/server/services/trainers/schemas";
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

test("a backend that the trainer lacks is refused with the trainer's reason and hint", () => {
  expect(backendProblem([trainer], checkpoint, "vllm", null)).toBe("vLLM needs a GPU. Attach a machine with one.");
  expect(backendProblem([trainer], checkpoint, "transformers", null)).toBeNull();
});

test("only llama.cpp serves GGUF files, and it serves nothing else", () => {
  expect(backendProblem([trainer], checkpoint, "llama.cpp", null)).toMatch(/GGUF files only/);
  expect(backendProblem([trainer], checkpoint, "transformers", "q8_0")).toMatch(/choose llama.cpp/);
  expect(backendProblem([trainer], checkpoint, "llama.cpp", "q8_0")).toBeNull();
});

test("a Checkpoint's profile rules out a backend for the Checkpoint itself, but not for its quantizations", () => {
  const inferenceProfile = { not_servable: [{ backend: "transformers", reason: "Its template needs a tool." }] };
  expect(backendProblem([trainer], { inferenceProfile }, "transformers", null)).toBe("Its template needs a tool.");
  expect(backendProblem([trainer], { inferenceProfile }, "transformers", "int8")).toBeNull();
});

test("a quantization that no trainer builds has a reason, and without a known trainer none is ruled out", () => {
  expect(quantizationProblem([trainer], "q8_0")).toBeNull();
  expect(quantizationProblem([trainer], "q4_0")).toBe("The trainer can’t build it.");
  expect(quantizationProblem([trainer], "int8")).toBe("llmcompressor is not installed.");
  expect(quantizationProblem([], "int8")).toBeNull();
});
