import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const WORDS_MOST = 600;
const FOLDERS = ["access", "diagnosing", "operating", "reading", "running", "training"];
const FILES_MOST = 25;

const root = path.join(import.meta.dirname, "..");
const textOf = (page: string) => readFileSync(path.join(root, page), "utf8");
const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "trainer/README.md"],
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => path.join("docs", file)),
];
const decisions = pages.filter((page) => page.startsWith("docs/decisions/"));

type Link = { text: string; target: string; heading: string | undefined };

/** Returns the links of a page that lead into this repository, with targets as paths from its root. */
const linksOf = (page: string): Link[] =>
  [...textOf(page).matchAll(/\[([^\]]*)\]\(([^)#\s]*)(?:#([^)]*))?\)/g)]
    .filter(([, , target = ""]) => !/^[a-z]+:/.test(target))
    .map(([, text = "", target, heading]) => ({
      text: text.replace(/\s+/g, " "),
      target: target ? path.join(path.dirname(page), target) : page,
      heading,
    }));

/** Returns the anchors of a page's headings, as GitHub and GitLab make them. */
const headingsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test.each(pages)("%s links only to existing files and headings", (page) => {
  const broken = linksOf(page).filter(
    ({ target, heading }) =>
      !existsSync(path.join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading)),
  );
  expect(broken).toEqual([]);
});

const byPage = (one: { page: string }, other: { page: string }) => (one.page < other.page ? -1 : 1);

test("the index names every decision by its title", () => {
  const named = linksOf("docs/README.md").filter(({ target }) => target.startsWith("docs/decisions/"));
  const titles = decisions.map((page) => ({ page, title: /^# (.+)/.exec(textOf(page))?.[1] }));
  expect(named.map(({ text, target }) => ({ page: target, title: text })).sort(byPage)).toEqual(titles.sort(byPage));
});

test.each(decisions)(`%s has one title and at most ${WORDS_MOST} words`, (page) => {
  const words = textOf(page)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(WORDS_MOST);
  expect(textOf(page).match(/^# /gm)).toHaveLength(1);
});

test(`decisions are in five folders of at most ${FILES_MOST} pages`, () => {
  expect(readdirSync(path.join(root, "docs/decisions")).sort()).toEqual(FOLDERS);
  const counts = FOLDERS.map(
    (folder) => decisions.filter((page) => page.startsWith(`docs/decisions/${folder}/`)).length,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(FILES_MOST);
});

const grep = spawnSync(
  "git",
  ["grep", "-hoE", "docs/decisions/[a-z/-]+\\.md", "--", "*.ts", "*.tsx", "*.mjs", "*.sql", "*.py"],
  {
    cwd: root,
    encoding: "utf8",
  },
);

test.skipIf(grep.status !== 0)("code names only decisions that exist", () => {
  const named = grep.stdout.trim().split("\n");
  expect(named.filter((page) => !existsSync(path.join(root, page)))).toEqual([]);
});
