import type { Command } from "commander";
import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { findUserByEmail } from "@/server/services/identity";
import { handOverProject } from "@/server/services/people";
import { createdProjectNote, createProject, startProject } from "@/server/services/projects";
import { project as shown } from "@/server/services/projects/schemas";
import { withDatabase } from "../database";
import { printResult } from "../output";

export function addProject(program: Command) {
  const group = program.command("project").description("projects");
  group
    .command("create")
    .description("create a project, with a default key that reads everything and sends telemetry")
    .requiredOption("--name <name>", "the project's name")
    .requiredOption("--owner <address>", "the owner's e-mail address")
    .action(async ({ name, owner }: { name: string; owner: string }, command: Command) => {
      const { project, secret } = await withDatabase(async (db) => {
        const person = await personOf(db, owner);
        return db.transaction(async (tx) => {
          const created = await createProject(tx, { name, ownerUserId: person.id });
          const actor = { kind: "operator" as const, id: null };
          await recordAudit(tx, { ...createdProjectNote(created), action: startProject.spec.name, actor });
          return created;
        });
      });
      printResult(command, { project: shown.parse(project) }, [
        `Created ${project.name} (${project.id}). Its default key, not shown again:`,
        secret,
      ]);
    });
  group
    .command("hand-over")
    .description("transfer a project whose only owner can no longer do so")
    .requiredOption("--project <id>", "the project")
    .requiredOption("--from <address>", "the current owner, who becomes a manager")
    .requiredOption("--to <address>", "the new owner")
    .action(async (given: { project: string; from: string; to: string }, command: Command) => {
      await withDatabase(async (db) => {
        const [from, to] = [await personOf(db, given.from), await personOf(db, given.to)];
        const ctx = { db, operator: true as const };
        await handOverProject(ctx, { projectId: given.project, userId: from.id, toUserId: to.id });
      });
      printResult(command, { ok: true }, [`${given.to} now owns the project.`]);
    });
}

async function personOf(db: Db, address: string) {
  const person = await findUserByEmail(db, address);
  if (!person) throw notFound(`A person with the address ${address}`);
  return person;
}
