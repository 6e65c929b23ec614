import pino, { type DestinationStream } from "pino";
import { env } from "@/env";

/** Where a value must never be read, whichever object it rides in. */
const SECRET_KEYS = ["authorization", "cookie", "password", "secret", "token", "apiKey", "signingKey", "eventKey"];
const SECRETS = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

/** Connection strings and bearer credentials hide in messages of other people's errors. */
export const hideCredentials = (text: string) =>
  text
    .replace(/(\w+:\/\/)[^\s/@]*@/g, "$1***@")
    .replace(/\b(bearer|basic)\s+\S+/gi, "$1 ***")
    // A key of ours that somebody put where it does not belong, such as in an address.
    .replace(/\bwhet_[0-9a-f]{32}_\w+/g, "whet_***");

const LEVELS: Record<number, string> = { 10: "trace", 20: "debug", 30: "", 40: "warning", 50: "error", 60: "error" };
const QUIET = new Set(["level", "time", "msg", "part", "err"]);

type Line = { level: number; time: number; msg?: string; part?: string; err?: { message?: string; stack?: string } };

/** One line a person reads: `12:03:44 jobs: A run failed. functionId=run-rules`. A stack only where debugging asked. */
export function readableLine(json: string, withStack: boolean): string {
  const line = JSON.parse(json) as Line;
  const level = LEVELS[line.level] ?? "";
  const fields = Object.entries(line)
    .filter(([key, value]) => !QUIET.has(key) && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = [
    new Date(line.time).toTimeString().slice(0, 8),
    line.part ? `${line.part}:` : "",
    level && `${level}:`,
    line.msg ?? "",
    line.err?.message ? `(${line.err.message.split("\n")[0]})` : "",
    ...fields,
  ];
  const stack = withStack && line.err?.stack ? `\n${line.err.stack}` : "";
  return `${hideCredentials(text.filter(Boolean).join(" ") + stack)}\n`;
}

/** stderr, because a command's stdout may be somebody's input. */
const readable = (withStack: boolean): DestinationStream => ({
  write: (json) => void process.stderr.write(readableLine(json, withStack)),
});

let root: pino.Logger | undefined;

/** Opened on first use, as `env()` is. */
function rootLogger() {
  root ??= pino(
    { base: null, level: env().LOG_LEVEL, redact: { paths: SECRETS, censor: "***" } },
    readable(env().LOG_LEVEL === "debug"),
  );
  return root;
}

/** The logger of one part of the program: `logger("jobs").warn({ runId }, "A run failed.")`. */
export const logger = (part: string) => rootLogger().child({ part });
export type Logger = ReturnType<typeof logger>;
