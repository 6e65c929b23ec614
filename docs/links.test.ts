import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => path.join("docs", file)),
];
const linksOf = (page: string) =>
  [...readFileSync(path.join(root, page), "utf8").matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

test.each(pages)("%s links only to existing files", (page) => {
  const broken = linksOf(page).filter((target) => !existsSync(path.join(root, path.dirname(page), target)));
  expect(broken).toEqual([]);
});

test("the index names every decision", () => {
  const named = linksOf("docs/README.md");
  const decisions = pages
    .filter((page) => page.startsWith("docs/decisions/"))
    .map((page) => page.slice("docs/".length));
  expect(decisions.filter((file) => !named.includes(file))).toEqual([]);
});
