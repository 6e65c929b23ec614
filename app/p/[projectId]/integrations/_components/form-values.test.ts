import { expect, test } from "vitest";
import { createConnectionForm, updateConnectionInput } from "@/server/services/connections/schemas";
import { createInputOf, fieldName, updateInputOf, valuesOf } from "./form-values";

const JIRA = {
  id: "conn_1",
  kind: "jira" as const,
  name: "Our Jira",
  baseUrl: "https://x.atlassian.net",
  settings: {
    defaultDestination: "OPS",
    openStates: ["To do"],
    closedStates: [],
    labels: [],
    titleTemplate: null,
    bodyTemplate: null,
    onRegression: "reopen" as const,
    onResolution: "close" as const,
    issueType: "Bug",
  },
  secretSet: true,
  webhookSet: false,
  lastTest: null,
  pollProblems: [],
  ticketFields: {},
  createdAt: 1,
  updatedAt: 1,
};

test("submitting an unedited form changes nothing", () => {
  const sent = updateConnectionInput.parse(updateInputOf(JIRA.id, valuesOf(JIRA)));
  expect(sent).toEqual({ connectionId: JIRA.id, name: JIRA.name, baseUrl: JIRA.baseUrl, settings: JIRA.settings });
});

test("each kind sends only its own settings, and empty ones as null", () => {
  const values = { ...valuesOf(null), name: "Local", settings: { ...valuesOf(null).settings, dailyUsd: 5 } };
  expect(createConnectionForm.parse(createInputOf(values))).toEqual({
    kind: "model",
    name: "Local",
    settings: { dialect: "openai", defaultModel: null, dailyCalls: null, dailyTokens: null, dailyUsd: 5 },
  });
  const hub = createInputOf({ ...values, kind: "model-hub", secret: " hf_x " });
  expect(createConnectionForm.parse(hub)).toMatchObject({ settings: {}, secret: "hf_x" });
});

test("a stored secret is kept, replaced or removed as the form says", () => {
  const values = valuesOf(JIRA);
  expect(updateInputOf("c", values)).not.toHaveProperty("secret");
  expect(updateInputOf("c", { ...values, secret: "new" })).toMatchObject({ secret: "new" });
  expect(updateInputOf("c", { ...values, secret: "new", forgetSecret: true })).toMatchObject({ secret: null });
});

test("a GitHub connection sends an App's ids only if it signs in as an App", () => {
  const empty = valuesOf(null);
  const ids = { appId: "4242", installationId: "77" };
  const values = {
    ...empty,
    kind: "github" as const,
    name: "Ours",
    asApp: true,
    settings: { ...empty.settings, ...ids },
  };
  expect(createConnectionForm.parse(createInputOf(values))).toMatchObject({ settings: ids });
  const none = { appId: null, installationId: null };
  expect(createConnectionForm.parse(createInputOf({ ...values, asApp: false }))).toMatchObject({ settings: none });
});

test("a problem's pointer maps to its form field", () => {
  expect(fieldName("/settings/dailyUsd")).toBe("settings.dailyUsd");
  expect(fieldName(["settings", "dailyUsd"])).toBe("settings.dailyUsd");
  expect(fieldName("/secret")).toBe("secret");
});
