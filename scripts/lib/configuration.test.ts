import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { z } from "zod";
import { SETTINGS } from "@/env";
import { configuration } from "./configuration";

test("the page of all variables is what env.ts says", () => {
  const page = readFileSync(path.resolve("docs/configuration.md"), "utf8");
  expect(page, "Run npm run docs:configuration.").toBe(configuration());
});

test("every variable that people set is described", () => {
  const undescribed = Object.values(SETTINGS)
    .flatMap((variables) => Object.entries<z.ZodType>(variables))
    .filter(([, schema]) => !schema.description)
    .map(([name]) => name);
  expect(undescribed).toEqual([]);
});
