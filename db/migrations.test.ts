import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Migrations up to this one define functions and triggers themselves; later ones leave that to `db/functions`. */
const LAST_WITH_FUNCTIONS = "0022_people.sql";

const MAKES_ONE = /\bcreate\s+(or\s+replace\s+)?(constraint\s+)?(function|procedure|trigger)\b/i;

test("no later migration defines a function or a trigger, which belong in db/functions", () => {
  const files = readdirSync("db/migrations").filter((file) => file.endsWith(".sql") && file > LAST_WITH_FUNCTIONS);
  const making = files.filter((file) => MAKES_ONE.test(readFileSync(`db/migrations/${file}`, "utf8")));
  expect(making).toEqual([]);
});

test("definitions are distinguished from mere references", () => {
  const history = readFileSync(`db/migrations/${LAST_WITH_FUNCTIONS}`, "utf8");
  expect(MAKES_ONE.test(history)).toBe(true);
  expect(MAKES_ONE.test('CREATE INDEX "x" ON "job_runs" USING btree ("function_id","trigger");')).toBe(false);
});
