import { Command, CommanderError } from "commander";
import { addBackup } from "./commands/backup";
import { addDemo } from "./commands/demo";
import { addDiagnose } from "./commands/diagnose";
import { addJob } from "./commands/job";
import { addKey } from "./commands/key";
import { addPrices } from "./commands/prices";
import { addProject } from "./commands/project";
import { addSecret } from "./commands/secret";
import { addSetupLink } from "./commands/setup-link";
import { addTrainer } from "./commands/trainer";
import { addUser } from "./commands/user";
import { printError } from "./output";

const program = new Command("npx whetstone")
  .description(
    "Whetstone's command line for operators. It works on the server's database, whether or not the server is running.",
  )
  .option("--json", "print one JSON object and nothing else")
  .configureOutput({ outputError: () => {} }) // printed once, below
  .exitOverride()
  .showHelpAfterError(false);

for (const add of [
  addUser,
  addProject,
  addKey,
  addDemo,
  addDiagnose,
  addJob,
  addBackup,
  addPrices,
  addSecret,
  addSetupLink,
  addTrainer,
])
  add(program);

// A closed pipe (`… | head`) ends the work and is not an error.
process.stdout.on("error", () => process.exit(0));

async function main(argv: readonly string[]) {
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return; // help, version
    printError(error, argv.includes("--json"));
    process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
