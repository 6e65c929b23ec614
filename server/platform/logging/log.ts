import pino, { type DestinationStream } from "pino";
import { RE2JS } from "re2js";
import { env } from "@/env";
import { loggable } from "./loggable";

/** Fields whose values are redacted, up to two levels deep. */
const SECRET_KEYS = ["authorization", "cookie", "password", "secret", "token", "apiKey", "signingKey", "eventKey"];
const SECRETS = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

/** Matched against untrusted text of any length, so with RE2, whose time is linear. */
const CREDENTIALS: readonly { pattern: RE2JS; shown: string }[] = [
  // User and password of a URL, even when not percent-encoded.
  { pattern: RE2JS.compile("(\\w)://[^\\s/?#]*@"), shown: "$1://***@" },
  { pattern: RE2JS.compile("(?i)\\b(bearer|basic)\\s+\\S+"), shown: "$1 ***" },
  // One of our API keys in the wrong field, such as a URL.
  { pattern: RE2JS.compile("\\bwhet_[0-9a-f]{32}_\\w+"), shown: "whet_***" },
  // The secret part of a share link.
  { pattern: RE2JS.compile("/share/[\\w-]{32,}"), shown: "/share/***" },
];
/** Pre-check: most texts contain no credential. Without repetition the built-in engine is linear too, and faster. */
const MAY_HAVE_ONE = /:\/\/|bearer|basic|whet_|\/share\//i;

/** Redacts connection strings, bearer credentials and our API keys in foreign error messages. */
export const hideCredentials = (text: string) =>
  MAY_HAVE_ONE.test(text)
    ? CREDENTIALS.reduce((safe, { pattern, shown }) => pattern.matcher(safe).replaceAll(shown), text)
    : text;

const LEVELS: Record<number, string> = { 10: "trace", 20: "debug", 30: "", 40: "warning", 50: "error", 60: "error" };
const QUIET = new Set(["level", "time", "msg", "part", "err"]);

type Line = { level: number; time: number; msg?: string; part?: string; err?: { message?: string; stack?: string } };

/** Formats a log line for people: `12:03:44 jobs: A run failed. functionId=run-rules`. The stack is included at the debug level only. */
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

/** Writes to stderr, because a command's stdout may be piped. */
const readable = (withStack: boolean): DestinationStream => ({
  write: (json) => void process.stderr.write(readableLine(json, withStack)),
});

let root: pino.Logger | undefined;

/** Created lazily, like `env()`. */
function rootLogger() {
  root ??= pino(
    {
      base: null,
      level: env().LOG_LEVEL,
      redact: { paths: SECRETS, censor: "***" },
      // Applied to every logged error, so that none is written with the values of its query.
      serializers: { err: (error: unknown) => pino.stdSerializers.err(loggable(error) as Error) },
    },
    readable(env().LOG_LEVEL === "debug"),
  );
  return root;
}

/** Returns the logger of one part of the program: `logger("jobs").warn({ runId }, "A run failed.")`. */
export const logger = (part: string) => rootLogger().child({ part });
export type Logger = ReturnType<typeof logger>;
