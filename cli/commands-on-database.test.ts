import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), "utf8");
const onDatabase = new RegExp(/ON_DATABASE = \/(.+)\/;/.exec(read("../scripts/cli.mjs"))?.[1] ?? "");
const groups = readdirSync(path.join(import.meta.dirname, "commands"))
  .map((file) => read(`commands/${file}`))
  .filter((source) => source.includes("withDatabase("))
  .flatMap((source) => [...source.matchAll(/program\s*\.command\("([a-z-]+)/g)].map(([, name = ""]) => name));

test.each(groups)("`%s` starts with a connection to the database", (name) => {
  expect(`${name} list`).toMatch(onDatabase);
});
