import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDERS = ["app", "cli", "db", "inngest", "scripts", "server", "web", "worker"];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
).filter((file) => /\.test\.tsx?$/.test(file));

test("files that replace modules, which outlives a file in a shared process, are named so that they get one of their own", () => {
  const replacing = files.filter((file) => /\bvi\.(mock|doMock)\(/.test(readFileSync(file, "utf8")));
  expect(replacing.filter((file) => file !== "db/testing/isolation.test.ts" && !file.includes(".isolated."))).toEqual(
    [],
  );
});
