import type { Command } from "commander";
import { notFound } from "@/server/platform/errors";
import { findUserByEmail } from "@/server/services/identity";
import { createProject } from "@/server/services/projects";
import { project as shown } from "@/server/services/projects/schemas";
import { withDatabase } from "../database";
import { answer } from "../output";

export function addProject(program: Command) {
  const group = program.command("project").description("projects");
  group
    .command("create")
    .description("start a project, with a default key that reads everything and sends telemetry")
    .requiredOption("--name <name>", "what to call it")
    .requiredOption("--owner <address>", "the e-mail address of the person who owns it")
    .action(async ({ name, owner }: { name: string; owner: string }, command: Command) => {
      const { project, secret } = await withDatabase(async (db) => {
        const person = await findUserByEmail(db, owner);
        if (!person) throw notFound(`A person with the address ${owner}`);
        return createProject(db, { name, ownerUserId: person.id });
      });
      answer(command, { project: shown.parse(project) }, [
        `${project.name} is there (${project.id}). Its default key, shown only now:`,
        secret,
      ]);
    });
}
