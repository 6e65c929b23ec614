import { expect, test } from "vitest";
import { isReady, nameFrom, nameProblem, requestOf } from "./deploy-form";

test.each([
  ["Support, 2nd round", "support-2nd-round"],
  ["  Émile’s model!  ", "e-mile-s-model"],
  ["dep_1", "dep-1"],
  ["…", ""],
  ["a".repeat(80), "a".repeat(63)],
])("the name %j is suggested as %j", (words, name) => {
  expect(nameFrom(words)).toBe(name);
  expect(name === "" || nameProblem(name) === null).toBe(true);
});

test("a name that no call could use is refused before it is sent", () => {
  expect(nameProblem("Shop Agent")).toMatch(/lower-case/);
  expect(nameProblem(" ")).toBe("Enter a name.");
  expect(nameProblem("dep_1")).not.toBeNull();
});

test("forcing takes the name, typed once more", () => {
  const form = {
    checkpointId: "ckpt_1",
    name: "shop-agent",
    backend: "auto",
    quantization: "q8_0",
    timeoutMinutes: 20,
    force: true,
    typed: "shop",
  } as const;
  expect(isReady(form)).toBe(false);
  expect(isReady({ ...form, typed: "shop-agent" })).toBe(true);
  expect(isReady({ ...form, force: false })).toBe(true);
  expect(requestOf(form)).toEqual({
    checkpointId: "ckpt_1",
    name: "shop-agent",
    backend: "auto",
    quantization: "q8_0",
    timeoutSeconds: 1200,
    force: true,
  });
});
