import pino, { type DestinationStream } from "pino";
import { RE2JS } from "re2js";
import { env } from "@/env";
import { loggable } from "./loggable";

/** Where a value must never be read, whichever object it rides in. */
const SECRET_KEYS = ["authorization", "cookie", "password", "secret", "token", "apiKey", "signingKey", "eventKey"];
const SECRETS = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

/** Whatever these are tried on is other people's text of any length: the engine takes a time linear in it. */
const CREDENTIALS: readonly { pattern: RE2JS; shown: string }[] = [
  // The user and password of an address, whatever of it was left unescaped.
  { pattern: RE2JS.compile("(\\w)://[^\\s/?#]*@"), shown: "$1://***@" },
  { pattern: RE2JS.compile("(?i)\\b(bearer|basic)\\s+\\S+"), shown: "$1 ***" },
  // A key of ours that somebody put where it does not belong, such as in an address.
  { pattern: RE2JS.compile("\\bwhet_[0-9a-f]{32}_\\w+"), shown: "whet_***" },
];
/** Most texts have none: told by an engine that is quicker and, with nothing to repeat, linear as well. */
const MAY_HAVE_ONE = /:\/\/|bearer|basic|whet_/i;

/** Hides connection strings, bearer credentials and keys of ours in messages of other people's errors. */
export const hideCredentials = (text: string) =>
  MAY_HAVE_ONE.test(text)
    ? CREDENTIALS.reduce((safe, { pattern, shown }) => pattern.matcher(safe).replaceAll(shown), text)
    : text;

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
    {
      base: null,
      level: env().LOG_LEVEL,
      redact: { paths: SECRETS, censor: "***" },
      // Here and not only where somebody thought of it: no error is written with the values of its query.
      serializers: { err: (error: unknown) => pino.stdSerializers.err(loggable(error) as Error) },
    },
    readable(env().LOG_LEVEL === "debug"),
  );
  return root;
}

/** The logger of one part of the program: `logger("jobs").warn({ runId }, "A run failed.")`. */
export const logger = (part: string) => rootLogger().child({ part });
export type Logger = ReturnType<typeof logger>;
