import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Command } from "commander";
import { diagnoseSnapshot, type LabelledConversation, readLabelled, snapshotFromLabelled } from "@/bench/labelled";
import { UsageError } from "../output";

export function addDiagnose(program: Command) {
  program
    .command("diagnose")
    .description("run all Rules on conversations from a file; stores nothing and needs no database")
    .argument("<file>", "JSONL, one {id, messages} per line; - reads standard input")
    .action(diagnose);
}

/** Prints one line per conversation as it is read: a file may be larger than memory. */
async function diagnose(file: string) {
  try {
    await readThrough(file === "-" ? process.stdin : createReadStream(file));
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw new UsageError(`Cannot read ${file}: ${error.message}`);
    throw error;
  }
}

async function readThrough(input: NodeJS.ReadableStream) {
  let number = 0;
  let unreadable = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const { conversations, errors } = readLabelled(line);
    for (const conversation of conversations) await print(reading(conversation));
    for (const { message } of errors) {
      unreadable += 1;
      process.stderr.write(`line ${number}: ${message}\n`);
    }
  }
  if (unreadable > 0)
    throw new UsageError(`${unreadable} ${unreadable === 1 ? "line was" : "lines were"} not a conversation.`);
}

const reading = (conversation: LabelledConversation) => ({
  id: conversation.id,
  signals: diagnoseSnapshot(snapshotFromLabelled(conversation)),
});

async function print(value: object) {
  if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, "drain");
}
