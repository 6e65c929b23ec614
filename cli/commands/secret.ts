import type { Command } from "commander";
import { type RingKeyStatus, ringStatus, rotateSecrets } from "@/server/services/secrets";
import { withDatabase } from "../database";
import { printResult } from "../output";

export function addSecret(program: Command) {
  const group = program.command("secret").description("the key ring, which encrypts the secrets of connections");
  group
    .command("rotate")
    .description("create a new current key; stored secrets are rewrapped in the background")
    .action(async (_given: object, command: Command) => {
      const ringKeys = await withDatabase(async (db) => {
        await rotateSecrets(db);
        return ringStatus(db);
      });
      printResult(command, { ringKeys }, [
        "New secrets are encrypted under a new key. A running server rewraps the stored ones and then deletes the old key.",
        ...lines(ringKeys),
      ]);
    });
  group
    .command("status")
    .description("the keys of the ring, and the number of stored secrets that each encrypts")
    .action(async (_given: object, command: Command) => {
      const ringKeys = await withDatabase(ringStatus);
      printResult(command, { ringKeys }, ringKeys.length === 0 ? ["No secret has been stored yet."] : lines(ringKeys));
    });
}

const lines = (ringKeys: readonly RingKeyStatus[]) =>
  ringKeys.map(({ id, createdAt, current, opens, secrets }) => {
    const marks = [
      current ? "current" : "retired",
      ...(opens ? [] : ["wrapped under another WHETSTONE_SECRET: cannot be used"]),
    ];
    return `${id}  ${new Date(createdAt).toISOString()}  ${secrets} secrets  ${marks.join(", ")}`;
  });
