import { expect, test } from "vitest";
import { assertEngineConfiguration, inngestServer } from "./configuration";

const settings = (set: Partial<Parameters<typeof inngestServer>[0]> = {}) => ({
  INNGEST_BASE_URL: undefined,
  INNGEST_EVENT_KEY: undefined,
  INNGEST_SIGNING_KEY: undefined,
  INNGEST_DEV: undefined,
  ...set,
});
const INNGEST_BASE_URL = "http://127.0.0.1:8288";

test("jobs run on the embedded engine unless a server's address is set", () => {
  expect(inngestServer(settings({ INNGEST_EVENT_KEY: "key" }))).toBeUndefined();
  expect(() => assertEngineConfiguration(settings())).not.toThrow();
});

test("a server without a signing key is refused, and the message names the missing variable", () => {
  expect(() => assertEngineConfiguration(settings({ INNGEST_BASE_URL }))).toThrow("INNGEST_SIGNING_KEY");
  expect(() => assertEngineConfiguration(settings({ INNGEST_BASE_URL, INNGEST_DEV: "0" }))).toThrow("INNGEST_DEV=1");
});

test("a server without an event key is refused, and the message names the missing variable", () => {
  const set = settings({ INNGEST_BASE_URL, INNGEST_SIGNING_KEY: "signkey-test-1" });
  expect(() => assertEngineConfiguration(set)).toThrow("INNGEST_EVENT_KEY");
});

test("a server with keys and a development server without keys are accepted", () => {
  const keys = { INNGEST_SIGNING_KEY: "signkey-test-1", INNGEST_EVENT_KEY: "key" };
  expect(() => assertEngineConfiguration(settings({ INNGEST_BASE_URL, ...keys }))).not.toThrow();
  expect(() => assertEngineConfiguration(settings({ INNGEST_BASE_URL, INNGEST_DEV: "1" }))).not.toThrow();
});
