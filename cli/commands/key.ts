import type { Command } from "commander";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { createApiKey } from "@/server/services/api-keys";
import { type ApiKey, createApiKeyInput } from "@/server/services/api-keys/schemas";
import { getProject } from "@/server/services/projects";
import { withDatabase } from "../database";
import { printResult } from "../output";

const collect = (value: string, before: string[] = []) => [...before, value];

export function addKey(program: Command) {
  const group = program.command("key").description("API keys");
  group
    .command("create")
    .description("create an API key; without --capability it reads everything and sends telemetry")
    .requiredOption("--project <id>", "the key's project")
    .option("--capability <capability>", "a capability of the key; repeatable", collect)
    .option("--name <name>", "the key's name", "Command line key")
    .action(async (given: { project: string; capability?: string[]; name: string }, command: Command) => {
      const input = createApiKeyInput.parse({ name: given.name, capabilities: given.capability });
      const { apiKey, secret } = await withDatabase(async (db) => {
        // The operator owns the database, so the project named here needs no further check.
        const ctx: Ctx = { db, projectId: given.project as ProjectId, actor: { kind: "operator" } };
        await getProject(ctx, {});
        return createApiKey(ctx, input);
      });
      printResult(command, { apiKey, secret }, linesOf(apiKey, secret));
    });
}

const linesOf = ({ id, capabilities }: ApiKey, secret: string) => [
  `The key (${id}) may: ${capabilities.join(", ")}. It is not shown again:`,
  secret,
];
