import { expect, test } from "vitest";
import { settingsIn } from "./draft";
import { ADVANCED, BASIC, problemWith, readValue, type SettingField, shownValue } from "./setting-fields";

const FIELDS = [...BASIC, ...ADVANCED];
const field = (name: string) => FIELDS.find((one) => one.name === name) as SettingField;

/** A value that each field accepts. */
const sampleOf = ({ kind, choices, min }: SettingField) =>
  kind === "yesno" ? "yes" : kind === "choice" ? (choices?.[0]?.value ?? "") : String(min ?? 1);

test("every field writes a setting that the service knows, and reads it back", () => {
  for (const one of FIELDS) {
    const value = readValue(one, sampleOf(one));
    expect(settingsIn({ [one.part]: { [one.name]: value } }), one.name).toEqual({ [one.part]: { [one.name]: value } });
    expect(shownValue(one, value), one.name).toBe(sampleOf(one));
  }
});

test("an empty field and auto both mean the default", () => {
  expect(readValue(field("learningRate"), " ")).toBeUndefined();
  expect(shownValue(field("learningRate"), "auto")).toBe("");
  expect(readValue(field("learningRate"), "2e-4")).toBe(0.0002);
});

test("invalid values have a problem message", () => {
  expect(problemWith(field("maxLength"), "8")).toBe("Enter 16 or more.");
  expect(problemWith(field("maxLength"), "100.5")).toBe("Enter a whole number.");
  expect(problemWith(field("learningRate"), "fast")).toBe("Enter a number.");
  expect(problemWith(field("learningRate"), "2e-4")).toBeNull();
  expect(problemWith(field("tokenizerPre"), "../qwen")).toBe("Enter a name such as qwen2.");
  expect(problemWith(field("tokenizerPre"), "")).toBeNull();
});
