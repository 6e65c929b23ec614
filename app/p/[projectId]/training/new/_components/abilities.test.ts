import { expect, test } from "vitest";
import type { Trainer } from "@/server/services/trainers/schemas";
import { ableTrainers, missingFor } from "./abilities";

const trainer = (name: string, adapters: string[], unavailable: Trainer["unavailable"] = []): Trainer => ({
  id: name,
  kind: "agent",
  name,
  online: true,
  version: "1.0.0",
  devices: [],
  supports: {
    methods: ["sft"],
    adapters,
    formats: [],
    ggufQuantizations: [],
    compressedQuantizations: [],
    serveBackends: [],
  },
  unavailable,
  packages: {},
  diskFreeBytes: null,
  diskUsedBytes: null,
  jobsRunning: 0,
  lastSeenAt: 1,
  error: null,
  keyHint: null,
  createdAt: 0,
});
const small = trainer(
  "small",
  ["lora"],
  [{ feature: "qlora", reason: "bitsandbytes is missing.", hint: "Install it." }],
);
const big = trainer("big", ["lora", "full"]);

test("a feature is available if one trainer has it; otherwise each trainer's reason and hint are listed", () => {
  expect(missingFor([small, big], "adapters", "full")).toEqual([]);
  expect(missingFor([small, big], "adapters", "qlora")).toEqual([
    { trainer: "small", reason: "bitsandbytes is missing.", hint: "Install it." },
    { trainer: "big", reason: "It does not support this.", hint: null },
  ]);
});

test("a trainer's reason for all of GGUF or training applies to each quantization or method", () => {
  const said = (feature: string) => trainer("box", [], [{ feature, reason: "It is missing.", hint: "Install it." }]);
  const because = [{ trainer: "box", reason: "It is missing.", hint: "Install it." }];
  expect(missingFor([said("gguf")], "ggufQuantizations", "q8_0")).toEqual(because);
  expect(missingFor([said("training")], "methods", "dpo")).toEqual(because);
});

test("method and adapter have to be supported by the same trainer", () => {
  expect(ableTrainers([small, big], { method: "sft", adapter: "full" })).toEqual([big]);
  expect(ableTrainers([small, big], { method: "dpo", adapter: "full" })).toEqual([]);
});
