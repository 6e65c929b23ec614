import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { longSubjects } from "./commits.mjs";

const LONG = "Describe in one line what two changes did, and a third one that came along with them";
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "commits-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SETTINGS = ["user.name=Ada", "user.email=ada@example.com", "init.defaultBranch=main", "commit.gpgsign=false"];
const GIT = SETTINGS.flatMap((setting) => ["-c", setting]);
function git(...args: string[]) {
  const { status, stderr } = spawnSync("git", [...GIT, ...args], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}
const commit = (subject: string) => git("commit", "--quiet", "--allow-empty", "--message", subject);

test("a subject may have 72 characters, and no more", () => {
  git("init", "--quiet");
  commit("Begin");
  git("tag", "v1");
  commit("é".repeat(72));
  commit("x".repeat(73));
  expect(longSubjects(folder)).toEqual([expect.stringMatching(/^\w+ x{73} \(73 characters of 72\)$/)]);
});

test("only what the remote does not have is read", () => {
  git("init", "--quiet");
  commit(LONG);
  git("remote", "add", "origin", folder);
  git("fetch", "--quiet", "origin");
  git("branch", "--quiet", "--set-upstream-to", "origin/main");
  expect(longSubjects(folder)).toEqual([]);
  commit(LONG);
  expect(longSubjects(folder)).toHaveLength(1);
});

test("without a remote and a release, what came after this check is read", () => {
  git("init", "--quiet");
  commit(LONG);
  mkdirSync(path.join(folder, "scripts/lib/testing"), { recursive: true });
  writeFileSync(path.join(folder, "scripts/lib/testing/commits.mjs"), "");
  git("add", ".");
  commit("Check the subjects of commits");
  expect(longSubjects(folder)).toEqual([]);
  commit(LONG);
  expect(longSubjects(folder)).toHaveLength(1);
});

test("without git nothing is said", () => {
  expect(longSubjects(folder)).toEqual([]);
});
