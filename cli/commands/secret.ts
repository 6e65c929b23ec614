import type { Command } from "commander";
import { type RingKeyStatus, ringStatus, rotateSecrets } from "@/server/services/secrets";
import { withDatabase } from "../database";
import { printResult } from "../output";

export function addSecret(program: Command) {
  const group = program.command("secret").description("the key ring, which encrypts the secrets of connections");
  group
    .command("rotate")
    .description("start a new key; stored secrets are rewrapped under it in the background")
    .action(async (_given: object, command: Command) => {
      const ringKeys = await withDatabase(async (db) => {
        await rotateSecrets(db);
        return ringStatus(db);
      });
      printResult(command, { ringKeys }, [
        "New secrets are encrypted under a new key. A running server rewraps the stored ones; the old key goes when it has.",
        ...lines(ringKeys),
      ]);
    });
  group
    .command("status")
    .description("the keys of the ring, and how many stored secrets each encrypts")
    .action(async (_given: object, command: Command) => {
      const ringKeys = await withDatabase(ringStatus);
      printResult(command, { ringKeys }, ringKeys.length === 0 ? ["No secret was ever stored."] : lines(ringKeys));
    });
}

const lines = (ringKeys: readonly RingKeyStatus[]) =>
  ringKeys.map(({ id, createdAt, current, opens, secrets }) => {
    const marks = [
      current ? "current" : "retired",
      ...(opens ? [] : ["of another WHETSTONE_SECRET: it opens nothing"]),
    ];
    return `${id}  ${new Date(createdAt).toISOString()}  ${secrets} secrets  ${marks.join(", ")}`;
  });
