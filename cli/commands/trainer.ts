import type { Command } from "commander";
import { addTrainer as addAgent, removeTrainer } from "@/server/services/trainers";
import { addTrainerInput } from "@/server/services/trainers/schemas";
import { withDatabase } from "../database";
import { printResult } from "../output";

export function addTrainer(program: Command) {
  const group = program.command("trainer").description("machines that train models and call this installation");
  group
    .command("add")
    .description("add a trainer and print its key, once")
    .requiredOption("--name <name>", "its display name")
    .action(async ({ name }: { name: string }, command: Command) => {
      const input = addTrainerInput.parse({ name });
      const { trainer, key, command: start } = await withDatabase((db) => addAgent({ db, operator: true }, input));
      const said = `Added ${trainer.name} (${trainer.id}). Start it on its machine; the key is not shown again:`;
      printResult(command, { trainer, key, command: start }, [said, start]);
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
