import type { Command } from "commander";
import { recordAudit } from "@/server/platform/audit";
import { createUser } from "@/server/services/identity";
import { operatorPasswordReset } from "@/server/services/members";
import { withDatabase } from "../database";
import { answer } from "../output";

export function addUser(program: Command) {
  const group = program.command("user").description("people who can sign in");
  group
    .command("create")
    .description("add a person who can sign in")
    .requiredOption("--email <address>", "the address to sign in with")
    .option(
      "--password <password>",
      "at least 8 characters; without one: for who signs in through a provider, or by `reset-link`",
    )
    .option("--name <name>", "how to call the person")
    .action(async (given: { email: string; password?: string; name?: string }, command: Command) => {
      const user = await withDatabase((db) =>
        db.transaction(async (tx) => {
          const created = await createUser(tx, given);
          await recordAudit(tx, {
            action: "users.create",
            projectId: null,
            userId: created.id,
            actor: { kind: "operator", id: null },
            target: { type: "user", id: created.id },
            after: { email: created.email, name: created.name },
          });
          return created;
        }),
      );
      const how =
        given.password === undefined ? "can sign in through a provider, or by `user reset-link`" : "can sign in now";
      answer(command, { user }, [`${user.email} ${how} (${user.id}).`]);
    });
  group
    .command("reset-link")
    .description("a one-time link by which a person sets a new password")
    .requiredOption("--email <address>", "the address that the person signs in with")
    .action(async ({ email }: { email: string }, command: Command) => {
      const { link, expiresAt } = await withDatabase((db) => operatorPasswordReset(db, email));
      answer(command, { resetLink: link, expiresAt }, [link]);
    });
}
