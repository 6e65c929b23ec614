import { expect, test } from "vitest";
import { aliasOf, DEPLOYMENT, initialValues, newTarget, problemsOf } from "./form-values";

const CONNECTIONS = [
  { id: "conn_1", name: "First", defaultModel: "gpt-4o" },
  { id: "conn_2", name: "Second", defaultModel: null },
];

test("an alias that is edited and not changed is sent as it was", () => {
  const targets = [
    { connectionId: "conn_1", model: "gpt-4o", deployment: null, callable: true },
    { connectionId: null, model: null, deployment: "shop-agent", callable: false },
  ];
  const limits = { retries: 1, firstTokenSeconds: 5, totalSeconds: null, maxOutputTokens: 500 };
  const alias = { id: "gwa_1", name: "fast", targets, ...limits, experiment: null, createdAt: 1, updatedAt: 1 };
  expect(aliasOf(initialValues(alias, CONNECTIONS))).toEqual({
    name: "fast",
    targets: [{ connectionId: "conn_1", model: "gpt-4o" }, { deployment: "shop-agent" }],
    ...limits,
  });
});

test("a new target is the first connection's default model, or a deployment if nothing is connected", () => {
  expect(newTarget(CONNECTIONS)).toMatchObject({ via: "conn_1", name: "gpt-4o" });
  expect(newTarget([])).toMatchObject({ via: DEPLOYMENT, name: "" });
});

test("problems are told at the field that has them", () => {
  const values = { ...initialValues(null, CONNECTIONS), name: "two words", retries: 9 };
  values.targets = [
    { key: "a", via: "conn_2", name: " " },
    { key: "b", via: DEPLOYMENT, name: "Shop Agent" },
  ];
  expect(Object.keys(problemsOf(values)).sort()).toEqual(["name", "retries", "targets.0.name", "targets.1.name"]);
  expect(problemsOf({ ...values, name: "fast", retries: 0, targets: [newTarget(CONNECTIONS)] })).toEqual({});
});
