import type { Command } from "commander";
import { env } from "@/env";
import { ServiceError } from "@/server/platform/errors";
import { createSetupLink } from "@/server/services/identity";
import { withDatabase } from "../database";
import { printResult } from "../output";

export function addSetupLink(program: Command) {
  program
    .command("setup-link")
    .description("a new one-time link for the first person, valid for 24 hours; earlier links stop working")
    .action(async (_given: object, command: Command) => {
      const link = await withDatabase(createSetupLink);
      if (!link)
        throw new ServiceError("conflict", "An account exists already: sign in, or add people with `user create`.");
      const { PUBLIC_URL, HOST, PORT } = env();
      const setupLink = `${PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${HOST}:${PORT}`}/setup#token=${link.token}`;
      printResult(command, { setupLink }, [setupLink]);
    });
}
