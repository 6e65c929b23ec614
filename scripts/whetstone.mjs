#!/usr/bin/env node
// npx whetstone: the one command of an installed package and of a clone. Alone, it serves like `npm start`; `trainer` with options
// or alone runs a trainer on this machine; anything else is a command for the operator (`npx whetstone help`).
const [command, next] = process.argv.slice(2);

if (command === undefined) {
  import("./start.mjs");
} else if (command === "trainer" && (next === undefined || next.startsWith("-"))) {
  process.argv.splice(2, 1);
  import("./trainer.mjs");
} else {
  import("./cli.mjs");
}
