import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";

test("the trainer's options are shown without creating its environments", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-environments-"));
  const env = { ...process.env, TRAINER_ENVIRONMENTS: folder };
  const shown = execFileSync(process.execPath, ["scripts/trainer.mjs", "--help"], { env, encoding: "utf8" });
  expect(shown).toContain("--without-compress");
  expect(readdirSync(folder)).toEqual([]);
});
