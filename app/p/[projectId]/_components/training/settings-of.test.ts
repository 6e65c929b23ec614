import { expect, test } from "vitest";
import { differencesOf, settingsOf } from "./settings-of";

test("a spec's settings are named by path and sorted, with nested groups last", () => {
  expect(settingsOf({ method: "sft", metadata: { id: 1 }, training: { seed: 42, maxSteps: null }, list: [] })).toEqual([
    ["list", "none"],
    ["method", "sft"],
    ["training.maxSteps", "—"],
    ["training.seed", "42"],
  ]);
});

test("only settings that differ are listed, including those that one run lacks", () => {
  const specs = [
    { method: "sft", lora: { r: 16 } },
    { method: "sft", lora: { r: 32 }, training: { beta: 0.1 } },
  ];
  expect(differencesOf(specs)).toEqual([
    ["lora.r", ["16", "32"]],
    ["training.beta", [null, "0.1"]],
  ]);
});
