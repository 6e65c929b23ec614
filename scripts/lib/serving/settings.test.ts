import { expect, test } from "vitest";
import { nodeAdvice, nodeProblem } from "../system/node-version.mjs";
import { addressOf, readSettings } from "./settings.mjs";

const settings = (env: Record<string, string>) => readSettings(env as unknown as NodeJS.ProcessEnv);

test.each([
  ["20.19.0", false],
  ["22.0.0", false],
  ["20.18.3", true],
  ["18.20.4", true],
])("Node %s is too old: %s", (version, refused) => {
  expect(nodeProblem(version) !== undefined).toBe(refused);
});

test.each([
  ["20.20.2", true],
  ["22.0.0", false],
  ["24.1.0", false],
  ["26.0.0", false],
])("Node %s works, and another one is recommended: %s", (version, advised) => {
  expect(nodeProblem(version)).toBeUndefined();
  expect(nodeAdvice(version) !== undefined).toBe(advised);
});

test("empty variables mean their defaults", () => {
  expect(settings({ HOST: "", PORT: "", DATABASE_URL: "", WEB_PROCESSES: "" })).toMatchObject({
    host: "127.0.0.1",
    port: 3000,
    webProcesses: 1,
    databaseUrl: undefined,
  });
});

test.each([
  { PORT: "80a" },
  { PORT: "65536" },
  { PORT: "-1" },
  { DATABASE_URL: "localhost/x" },
  { WEB_PROCESSES: "0" },
  { DATABASE_URL: "postgres://app@pooler/x", DATABASE_POOLER: "transaction" },
  { WEB_PROCESSES: "1.5" },
  { WEB_PROCESSES: "many" },
])("%o is refused", (env) => {
  expect(() => settings(env)).toThrow(/PORT is|DATABASE_URL must|WEB_PROCESSES is|DATABASE_POOLER needs/);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://localhost:3000"],
  ["::1", "http://[::1]:3000"],
])("the address for HOST=%s is %s", (host, address) => {
  expect(addressOf({ host, port: 3000, publicUrl: undefined })).toBe(address);
});

test("PUBLIC_URL overrides the address", () => {
  expect(addressOf({ host: "0.0.0.0", port: 3000, publicUrl: "https://ours.test/" })).toBe("https://ours.test");
});
