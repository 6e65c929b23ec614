import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { env } from "@/env";
import { addTrainer as addAgent, attachLocal, removeTrainer } from "@/server/services/trainers";
import { addTrainerInput } from "@/server/services/trainers/schemas";
import { withDatabase } from "../database";
import { printResult } from "../output";

export function addTrainer(program: Command) {
  const group = program.command("trainer").description("machines that train models and call this installation");
  group
    .command("add")
    .description("add a trainer, or give one a new key, and print the key, once")
    .requiredOption("--name <name>", "its display name")
    .option("--id <id>", "the trainer that gets a new key: it keeps its jobs and checkpoints")
    .action(async ({ name, id }: { name: string; id?: string }, command: Command) => {
      const input = addTrainerInput.parse({ name, trainerId: id });
      const { trainer, key, command: start } = await withDatabase((db) => addAgent({ db, operator: true }, input));
      const said = `Added ${trainer.name} (${trainer.id}). Start it on its machine; the key is not shown again:`;
      printResult(command, { trainer, key, command: start }, [said, start]);
    });
  group
    .command("attach")
    .description("store a key in DATA_DIR with which `npx whetstone trainer` attaches itself (it runs this command)")
    .action(async (_: object, command: Command) => {
      const file = path.join(env().DATA_DIR, "trainer-key");
      const known = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
      const key = await withDatabase((db) => attachLocal(db, { name: hostname(), key: known }));
      if (key !== known) {
        writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true });
        renameSync(`${file}.new`, file);
      }
      printResult(command, { attached: true, file }, [`The trainer's key is in ${file}.`]);
    });
  group
    .command("remove")
    .description("remove a trainer; its key stops working immediately")
    .requiredOption("--id <id>", "the trainer's id")
    .action(async ({ id }: { id: string }, command: Command) => {
      await withDatabase((db) => removeTrainer({ db, operator: true }, { trainerId: id }));
      printResult(command, { removed: true }, [`Removed ${id}.`]);
    });
}
