import { expect, test } from "vitest";
import { traitHref, traitWords } from "./trait-words";

test("a trait is named by its dimension and value, and its absence in words", () => {
  expect(traitWords({ dimension: "model", value: "gpt-4.1-nano" })).toBe("Model gpt-4.1-nano");
  expect(traitWords({ dimension: "hour", value: "8" })).toBe("Began 08:00–12:00 UTC");
  expect(traitWords({ dimension: "label", value: null })).toBe("No label");
});

test("a trait that the list of conversations can filter by is a link to them", () => {
  const hrefOf = (dimension: Parameters<typeof traitHref>[2]["dimension"], value: string | null) =>
    traitHref("prj_1", "fnd_1", { dimension, value });
  expect(hrefOf("model", "a b")).toBe("/p/prj_1/conversations?model=a+b&finding=fnd_1");
  expect(hrefOf("version", "shop 2.4.0")).toBe("/p/prj_1/conversations?version=shop+2.4.0&finding=fnd_1");
  expect(hrefOf("provider", "openai")).toBe("/p/prj_1/conversations?provider=openai&finding=fnd_1");
  expect(hrefOf("tool", "get_order")).toBe("/p/prj_1/conversations?tool=get_order&finding=fnd_1");
  expect(hrefOf("prompt", "refund 3")).toBe("/p/prj_1/conversations?prompt=refund+3&finding=fnd_1");
  expect(hrefOf("user", null)).toBe("/p/prj_1/conversations?hasUser=false&finding=fnd_1");
  expect(hrefOf("label", null)).toBeNull();
  expect(hrefOf("hour", "8")).toBeNull();
});
