import { expect, test } from "vitest";
import { filledLength, fillTemplate, variablesOf } from "./template";

test("variables are named once, in order of appearance, and other braces are text", () => {
  const texts = ['{{b}} {{ a }} {{b}} {"json": {"x": {}}}', "{{not a name}} {{1}} { {c} } {{_d}}"];
  expect(variablesOf(texts)).toEqual(["b", "a", "_d"]);
});

test("values replace variables as they are, in one pass", () => {
  const values = { a: "{{b}} & <b>$&</b>", b: "no" };
  expect(fillTemplate("A: {{a}}; {{ b }}", values)).toBe("A: {{b}} & <b>$&</b>; no");
  expect(fillTemplate("{{toString}} {{__proto__}}", values)).toBe("{{toString}} {{__proto__}}");
});

test("the length of a filled template is known before it is filled", () => {
  const values = { a: "x".repeat(50), b: "" };
  for (const text of ["", "{{a}}{{ a }} {{b}} {{c}}", "plain"])
    expect(filledLength(text, values)).toBe(fillTemplate(text, values).length);
});
