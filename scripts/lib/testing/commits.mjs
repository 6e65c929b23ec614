// @ts-check
import { spawnSync } from "node:child_process";
import { inRoot } from "../system/paths.mjs";
import { print } from "../system/print.mjs";
import { tallyOf } from "./tallies.mjs";

const PART = "subjects of commits";
/** What hosts and `git log --oneline` show of a subject. */
const CHARACTERS_MOST = 72;
const THIS_FILE = "scripts/lib/testing/commits.mjs";

/** @param {string} folder @param {string[]} args @returns {string[]} */
function git(folder, args) {
  const { stdout, status } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter(Boolean) : [];
}

/**
 * Returns from which commit on subjects are read: what the remote has, else the last release's tag, else where this check was last
 * changed, because what came before was not made under it.
 * @param {string} folder
 */
const baseOf = (folder) =>
  [
    ["merge-base", "HEAD", "@{upstream}"],
    ["describe", "--tags", "--abbrev=0"],
    ["log", "--format=%H", "-1", "--", THIS_FILE],
  ]
    .map((args) => git(folder, args)[0])
    .find(Boolean);

/** Returns the commits whose subjects are too long, with their length. Merges name branches and are left out. @param {string} folder */
export function longSubjects(folder) {
  const base = baseOf(folder);
  const commits = base ? git(folder, ["log", "--no-merges", "--format=%h %s", `${base}..HEAD`]) : [];
  return commits.flatMap((line) => {
    const characters = [...line.slice(line.indexOf(" ") + 1)].length;
    return characters > CHARACTERS_MOST ? [`${line} (${characters} characters of ${CHARACTERS_MOST})`] : [];
  });
}

/**
 * Checks the commits of a change while they can still be reworded: in CI a whole change would be lost to a subject. Without git
 * there is nothing to say.
 * @returns {import("./tallies.mjs").Tally[]}
 */
export function commits() {
  if (process.env.CI || git(inRoot(), ["rev-parse", "HEAD"]).length === 0) return [];
  const failures = longSubjects(inRoot());
  print(
    failures.length ? `✗ ${PART}: shorten them with git rebase --interactive\n${failures.join("\n")}` : `✓ ${PART}`,
  );
  return [{ ...tallyOf(PART, failures.length === 0), failed: failures.length, failures }];
}
