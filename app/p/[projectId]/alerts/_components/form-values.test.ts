import { expect, test } from "vitest";
import { initialValues, problemsOf, sentOf, withFinding, withMeasure } from "./form-values";

const EMPTY = { measure: null, model: null, label: null, finding: null, name: null, limit: null };

test("a form shows percent, seconds and dollars, and sends fractions, ms and dollars", () => {
  const errors = initialValues(null, EMPTY, true);
  expect(errors).toMatchObject({ measure: "error_rate", limit: 5, minCount: 50, name: "Error rate of model calls" });
  expect(sentOf({ ...errors, limit: 7 })).toMatchObject({ limit: 0.07, model: null, label: null });
  const slow = withMeasure(errors, "latency_p95", "threshold");
  expect(slow).toMatchObject({ limit: 10, name: "Latency p95 of model calls" });
  expect(sentOf(slow).limit).toBe(10_000);
  expect(sentOf(withMeasure(errors, "error_rate", "change"))).toMatchObject({ limit: 1, minCount: 100 });
});

test("an address fills the form in, except with a measure that the reader may not see", () => {
  const budget = { ...EMPTY, measure: "daily_cost" as const, limit: 12.5, label: "web" };
  expect(initialValues(null, budget, true)).toMatchObject({
    measure: "daily_cost",
    limit: 12.5,
    label: "web",
    name: "Cost per day, label web",
  });
  expect(initialValues(null, budget, false)).toMatchObject({ measure: "error_rate" });
});

test("another measure keeps a name that a person gave, and drops filters and conditions that it does not have", () => {
  const named = { ...initialValues(null, EMPTY, true), name: "Pager", model: "gpt-4o", condition: "change" as const };
  expect(withMeasure(named, "silence", "change")).toMatchObject({
    name: "Pager",
    model: "",
    condition: "threshold",
    limit: 30,
  });
});

test("a Finding's share is measured over a day, of a Finding that must be chosen, and is sent with no other measure", () => {
  const share = withMeasure(initialValues(null, EMPTY, true), "finding_share", "threshold");
  expect(share).toMatchObject({ windowMinutes: 1440, minCount: 20, limit: 5, name: "Share of a Finding" });
  expect(problemsOf(share)).toEqual({ findingId: "Choose a Finding." });
  const chosen = withFinding(share, "fnd_1", "Order not found");
  expect(chosen.name).toBe("Share of “Order not found”");
  expect(withFinding(chosen, "fnd_2", "Loops").name).toBe("Share of “Loops”");
  expect(withFinding({ ...chosen, name: "Pager" }, "fnd_2", "Loops").name).toBe("Pager");
  expect(sentOf(chosen)).toMatchObject({ findingId: "fnd_1", limit: 0.05 });
  expect(sentOf(withMeasure(chosen, "monthly_cost", "change"))).toMatchObject({
    findingId: null,
    condition: "threshold",
    limit: 500,
  });
});

test("what is missing or out of range is said at its field", () => {
  const values = initialValues(null, EMPTY, true);
  expect(problemsOf(values)).toEqual({});
  expect(problemsOf({ ...values, name: " ", limit: "", windowMinutes: 3, minCount: -1 })).toEqual({
    name: "Enter a name.",
    limit: "Enter a limit above 0.",
    windowMinutes: "Enter 5 to 1,440 minutes.",
    minCount: "Enter a whole number.",
  });
});
