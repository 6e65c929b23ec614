import type { Command } from "commander";
import { createUser } from "@/server/services/identity";
import { withDatabase } from "../database";
import { answer } from "../output";

export function addUser(program: Command) {
  const group = program.command("user").description("people who can sign in");
  group
    .command("create")
    .description("add a person who can sign in")
    .requiredOption("--email <address>", "the address to sign in with")
    .requiredOption("--password <password>", "at least 8 characters")
    .option("--name <name>", "how to call the person")
    .action(async (given: { email: string; password: string; name?: string }, command: Command) => {
      const user = await withDatabase((db) => createUser(db, given));
      answer(command, { user }, [`${user.email} can sign in now (${user.id}).`]);
    });
}
