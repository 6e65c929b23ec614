import { expect, test } from "vitest";
import { filledLength, fillTemplate, isFilledFrom, variablesOf } from "./template";

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

test("a filled template is recognised, unless little of the text is its own", () => {
  const template = "You help customers of {{shop}}. Ask before you cancel {{what}} of theirs.\n";
  expect(isFilledFrom(template, fillTemplate(template, { shop: "Acme", what: "orders" }))).toBe(true);
  expect(isFilledFrom(template, template)).toBe(true);
  expect(isFilledFrom(template, "You help customers of Acme. Never cancel orders of theirs.")).toBe(false);
  expect(isFilledFrom("Ask {{who}}. Ask.", "Ask. Ask.")).toBe(false);
  expect(isFilledFrom("You are {{whatever}}", "You are a shop assistant.")).toBe(false);
  expect(isFilledFrom("Be kind.", " Be kind.\n")).toBe(true);
  expect(isFilledFrom("Be kind.", "Be kind. Be brief.")).toBe(false);
});
