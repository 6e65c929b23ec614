import type { Command } from "commander";
import { recordAudit } from "@/server/platform/audit";
import type { OperatorCtx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { createUser, findUserByEmail, operatorPasswordReset } from "@/server/services/identity";
import { changeRights, disablePerson, enablePerson, erasePerson, listPeople } from "@/server/services/people";
import type { Person } from "@/server/services/people/schemas";
import { withDatabase } from "../database";
import { printResult, UsageError } from "../output";
import { isInteractive, type PasswordGiven, passwordOf, prompt } from "../prompt";

export function addUser(program: Command) {
  const group = program.command("user").description("people who can sign in");
  group
    .command("create")
    .description("add a person who can sign in")
    .requiredOption("--email <address>", "the address to sign in with")
    .option("--password-stdin", "read the password (at least 8 characters) from the first line of standard input")
    .option("--password <password>", "visible to other programs on this machine; if omitted, a terminal prompts for it")
    .option("--no-password", "no password: the person signs in through a provider or with a `reset-link`")
    .option("--name <name>", "the person's name")
    .action(async (given: { email: string; name?: string } & PasswordGiven, command: Command) => {
      const { email, name } = given;
      const password = await passwordOf(given, command.optsWithGlobals<{ json?: boolean }>());
      const user = await withDatabase((db) =>
        db.transaction(async (tx) => {
          const created = await createUser(tx, { email, name, password });
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
        password === undefined ? "can sign in through a provider or with a `user reset-link`" : "can sign in now";
      printResult(command, { user }, [`${user.email} ${how} (${user.id}).`]);
    });
  group
    .command("reset-link")
    .description("a one-time link for a person to set a new password")
    .requiredOption("--email <address>", "the address that the person signs in with")
    .action(async ({ email }: { email: string }, command: Command) => {
      const { link, expiresAt } = await withDatabase((db) => operatorPasswordReset(db, email));
      printResult(command, { resetLink: link, expiresAt }, [link]);
    });
  addRights(group);
  addEnding(group);
}

type Options = { email: string };

/** Runs `work` on the person with this address, as the operator. */
const onPerson = <T>(email: string, work: (ctx: OperatorCtx, userId: string) => Promise<T>) =>
  withDatabase(async (db) => {
    const person = await findUserByEmail(db, email);
    if (!person) throw notFound(`A person with the address ${email}`);
    return work({ db, operator: true }, person.id);
  });

const onOff = (value: string | undefined, option: string) => {
  if (value === undefined || value === "on" || value === "off") return value && value === "on";
  throw new UsageError(`${option} is "${value}"; it must be on or off.`);
};

const PEOPLE_SHOWN = 500;

function addRights(group: Command) {
  group
    .command("list")
    .description(`the newest ${PEOPLE_SHOWN} people, their rights, and when they last signed in`)
    .action(async (_given: object, command: Command) => {
      const { people } = await withDatabase((db) => listPeople({ db, operator: true }, { limit: PEOPLE_SHOWN }));
      printResult(command, { users: people }, people.map(lineOf));
    });
  group
    .command("rights")
    .description("grant or revoke a person's rights outside projects")
    .requiredOption("--email <address>", "the address that the person signs in with")
    .option("--create-projects <on|off>", "may create projects")
    .option("--installation-owner <on|off>", "may manage people and their rights, and create projects")
    .action(async (given: Options & { createProjects?: string; installationOwner?: string }, command: Command) => {
      const [mayCreateProjects, installationOwner] = [
        onOff(given.createProjects, "--create-projects"),
        onOff(given.installationOwner, "--installation-owner"),
      ];
      const { person } = await onPerson(given.email, (ctx, userId) =>
        changeRights(ctx, {
          userId,
          ...(mayCreateProjects === undefined ? {} : { mayCreateProjects }),
          ...(installationOwner === undefined ? {} : { installationOwner }),
        }),
      );
      printResult(command, { user: person }, [lineOf(person)]);
    });
}

function addEnding(group: Command) {
  const REVOKE = ["--revoke-keys", "revoke the API keys that the person created, in every project"] as const;
  group
    .command("disable")
    .description("sign a person out everywhere and block further sign-ins; their projects and data stay")
    .requiredOption("--email <address>", "the address that the person signs in with")
    .option(...REVOKE)
    .action(async ({ email, revokeKeys }: Options & { revokeKeys?: boolean }, command: Command) => {
      const { person, ...done } = await onPerson(email, (ctx, userId) => disablePerson(ctx, { userId, revokeKeys }));
      printResult(command, { user: person, ...done }, [
        `${person.email} is disabled; ${count(done.sessionsEnded, "session")} ended. ${keysSaid(done)}`,
      ]);
    });
  group
    .command("enable")
    .description("let a disabled person sign in again")
    .requiredOption("--email <address>", "the address that the person signs in with")
    .action(async ({ email }: Options, command: Command) => {
      const { person } = await onPerson(email, (ctx, userId) => enablePerson(ctx, { userId }));
      printResult(command, { user: person }, [`${person.email} can sign in again.`]);
    });
  group
    .command("delete")
    .description("erase a person; audit logs keep their actions under an id. This can't be undone")
    .requiredOption("--email <address>", "the address that the person signs in with")
    .option("--confirm <address>", "the address again; if omitted, a terminal prompts for it")
    .option(...REVOKE)
    .action(async (given: Options & { confirm?: string; revokeKeys?: boolean }, command: Command) => {
      const email =
        given.confirm ?? (isInteractive() ? await prompt(`Type ${given.email} to erase this person: `) : undefined);
      if (email === undefined) throw new UsageError("Repeat the address: --confirm ADDRESS.");
      const done = await onPerson(given.email, (ctx, userId) =>
        erasePerson(ctx, { userId, email, revokeKeys: given.revokeKeys }),
      );
      printResult(command, { erased: true, keysRevoked: done.keysRevoked, keysLeft: done.keysLeft }, [
        `${given.email} is erased. ${keysSaid(done)}`,
      ]);
    });
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

const keysSaid = ({ keysRevoked, keysLeft }: { keysRevoked: number; keysLeft: number }) =>
  keysLeft > 0
    ? `${count(keysLeft, "API key")} that they created still work: --revoke-keys revokes those too.`
    : `${count(keysRevoked, "API key")} revoked.`;

const lineOf = ({ email, installationOwner, mayCreateProjects, disabledAt, lastSignInAt, projectCount }: Person) =>
  [
    email,
    installationOwner ? "owner of the installation" : mayCreateProjects ? "may create projects" : "",
    disabledAt === null ? "" : "disabled",
    count(projectCount, "project"),
    lastSignInAt === null ? "never signed in" : `last signed in ${new Date(lastSignInAt).toISOString()}`,
  ]
    .filter(Boolean)
    .join("  ");
