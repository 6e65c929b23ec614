import { expect, test } from "vitest";
import { isReady, nameFrom, nameProblem, requestOf } from "./deploy-form";

test.each([
  ["Support, 2nd round", "support-2nd-round"],
  ["  Émile’s model!  ", "e-mile-s-model"],
  ["dep_1", "dep-1"],
  ["…", ""],
  ["a".repeat(80), "a".repeat(63)],
])("%j suggests the deployment name %j", (words, name) => {
  expect(nameFrom(words)).toBe(name);
  expect(name === "" || nameProblem(name) === null).toBe(true);
});

test("invalid deployment names are refused by the form", () => {
  expect(nameProblem("Shop Agent")).toMatch(/lower-case/);
  expect(nameProblem(" ")).toBe("Enter a name.");
  expect(nameProblem("dep_1")).not.toBeNull();
});

test("a forced deployment requires its name to be typed again, and only GGUF has a pre-tokenizer", () => {
  const form = {
    checkpointId: "ckpt_1",
    name: "shop-agent",
    backend: "auto",
    quantization: "q8_0",
    tokenizerPre: "",
    timeoutMinutes: 20,
    force: true,
    typed: "shop",
  } as const;
  expect(isReady(form)).toBe(false);
  expect(isReady({ ...form, typed: "shop-agent" })).toBe(true);
  expect(isReady({ ...form, force: false })).toBe(true);
  expect(requestOf({ ...form, tokenizerPre: "qwen2" })).toMatchObject({ tokenizerPre: "qwen2" });
  expect(requestOf({ ...form, tokenizerPre: "qwen2", quantization: "int8" })).not.toHaveProperty("tokenizerPre");
  expect(isReady({ ...form, force: false, tokenizerPre: "../qwen2" })).toBe(false);
  expect(requestOf(form)).toEqual({
    checkpointId: "ckpt_1",
    name: "shop-agent",
    backend: "auto",
    quantization: "q8_0",
    timeoutSeconds: 1200,
    force: true,
  });
});
