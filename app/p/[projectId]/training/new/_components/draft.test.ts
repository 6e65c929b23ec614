import { expect, test } from "vitest";
import { type Draft, requestOf, settingsIn } from "./draft";

const DRAFT: Draft = {
  step: "check",
  name: "",
  dataset: "ds_1",
  version: 3,
  base: "Qwen/Qwen3-0.6B",
  source: "hub",
  revision: null,
  checkpoint: null,
  method: "sft",
  adapter: "lora",
  settings: { training: { learningRate: 0.0002 }, lora: { r: 32 } },
  from: null,
  clone: null,
  config: null,
};

test("a spec's settings are read back without unknown and invalid ones", () => {
  const spec = {
    specVersion: 1,
    training: { numTrainEpochs: 3, learningRate: "auto", maxLength: -1, houseSetting: true },
    evaluation: { samples: { count: 5, maxNewTokens: 256 } },
    lora: { loraAlpha: 32 },
  };
  expect(settingsIn(spec)).toEqual({
    training: { numTrainEpochs: 3, learningRate: "auto" },
    evaluation: { samples: { count: 5, maxNewTokens: 256 } },
    lora: { loraAlpha: 32 },
  });
  expect(settingsIn("nonsense")).toEqual({});
});

test("a copied job keeps its pre-tokenizer", () => {
  const output = { formats: ["safetensors"], ggufQuantizations: [], compressedQuantizations: [] };
  expect(settingsIn({ output, metadata: { tokenizerPre: "qwen2" } })).toEqual({
    output: { ...output, tokenizerPre: "qwen2" },
  });
});

test("a draft becomes a request once it has a Dataset and a model", () => {
  expect(requestOf({ ...DRAFT, base: null })).toBeNull();
  expect(requestOf(DRAFT)).toEqual({
    datasetId: "ds_1",
    datasetVersion: 3,
    baseModel: { id: "Qwen/Qwen3-0.6B", source: "hub" },
    method: "sft",
    adapter: "lora",
    training: { learningRate: 0.0002 },
    lora: { r: 32 },
  });
  expect(requestOf({ ...DRAFT, checkpoint: "ckpt_1", adapter: "full" })).toMatchObject({
    baseModel: { checkpointId: "ckpt_1" },
    adapter: "full",
  });
  expect(requestOf({ ...DRAFT, adapter: "full" })).not.toHaveProperty("lora");
});
