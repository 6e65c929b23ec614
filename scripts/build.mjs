// @ts-check
// npm run build: builds the web application and the programs beside it.
import { build } from "./lib/building/build.mjs";
import { explain } from "./lib/system/operator-error.mjs";
import { inRoot } from "./lib/system/paths.mjs";

try {
  await build({ log: inRoot("dist", "build.log"), always: process.argv.includes("--force") });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
