import type { Command } from "commander";
import { CommanderError } from "commander";
import { knownError } from "@/server/platform/logging/known-error";
import { loggable } from "@/server/platform/logging/loggable";

/** A mistake by the operator, shown as a sentence; any other error is a bug and is shown with its stack. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Prints one JSON object with `--json`, readable lines without. */
export function printResult(command: Command, json: object, lines: readonly string[]) {
  const asked = command.optsWithGlobals<{ json?: boolean }>().json;
  process.stdout.write(`${asked ? JSON.stringify(json) : lines.join("\n")}\n`);
}

/** Prints a line beside the result; with `--json`, nothing. */
export function printProgress(command: Command, line: string) {
  if (!command.optsWithGlobals<{ json?: boolean }>().json) process.stderr.write(`${line}\n`);
}

export function printError(error: unknown, json: boolean) {
  const problem = problemOf(error);
  process.stderr.write(`${json ? JSON.stringify({ error: problem }) : problem.message}\n`);
}

function problemOf(error: unknown): { code: string; message: string } {
  if (error instanceof CommanderError) return { code: "invalid", message: usageOf(error) };
  if (error instanceof UsageError) return { code: "invalid", message: error.message };
  const known = knownError(error);
  if (!known) {
    // Output also ends up in log files of schedulers and CI.
    const safe = loggable(error);
    return { code: "internal", message: safe instanceof Error ? (safe.stack ?? safe.message) : String(safe) };
  }
  const fields = (known.errors ?? []).map(({ path, message }) => `  ${path.slice(1) || "input"}: ${message}`);
  return { code: known.code, message: [known.message, ...fields].join("\n") };
}

/** Turns `error: required option …` into `Required option …` with a pointer to the help. A bare group only gets the pointer. */
function usageOf({ code, message }: CommanderError) {
  if (code === "commander.help") return "Specify a command. See: npx whetstone --help";
  const said = message.replace(/^error: /, "");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. See: npx whetstone --help`;
}
