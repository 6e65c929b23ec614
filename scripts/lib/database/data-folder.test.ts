import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { givenSecret } from "./data-folder.mjs";

const given = (env: Record<string, string>) => givenSecret(env as unknown as NodeJS.ProcessEnv);

test("an operator's secret is read from the variable or from a file, and a short one is refused", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-secret-"));
  const file = path.join(folder, "secret");
  writeFileSync(file, `${"f".repeat(32)}\n`);
  expect(given({})).toBeUndefined();
  expect(given({ WHETSTONE_SECRET: "v".repeat(32), WHETSTONE_SECRET_FILE: "" })).toBe("v".repeat(32));
  expect(given({ WHETSTONE_SECRET_FILE: file })).toBe("f".repeat(32));
  expect(() => given({ WHETSTONE_SECRET: "v".repeat(32), WHETSTONE_SECRET_FILE: file })).toThrow(/both set/);
  expect(() => given({ WHETSTONE_SECRET_FILE: path.join(folder, "none") })).toThrow(/cannot be read/);
  writeFileSync(file, "short");
  expect(() => given({ WHETSTONE_SECRET_FILE: file })).toThrow(/too short/);
  expect(() => given({ WHETSTONE_SECRET: "short" })).toThrow(/WHETSTONE_SECRET is too short/);
  rmSync(folder, { recursive: true });
});
