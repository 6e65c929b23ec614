import { z } from "zod";

const port = z.coerce.number().int().min(0).max(65535);

const limit = z.coerce.number().min(0).max(100_000_000);

const variables = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must start with postgres://"),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10),
  /** A statement on behalf of a request that takes longer is given up, and the request refused; 0 is no limit. */
  DATABASE_STATEMENT_SECONDS: z.coerce.number().min(0).max(3600).default(20),
  /** Where generated secrets, the embedded database and artifacts live. */
  DATA_DIR: z.string().default(".data"),
  HOST: z.string().default("127.0.0.1"),
  PORT: port.default(3000),
  /** Encrypts and signs: API-key hashes, cookies. `npm start` generates one into DATA_DIR. */
  WHETSTONE_SECRET: z.string().min(32),
  /** The address people type, when it is not http://HOST:PORT (behind a proxy). */
  PUBLIC_URL: z.url().optional(),
  DEPLOYMENT_TARGET: z.string().max(100).default("self-hosted"),
  /** The mail server, with user and password. Without one no e-mail is sent. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/?#]/, "must look like smtps://user:password@host:465 or smtp://host:587")
    .refine(URL.canParse, "is not an address; characters of a password that mean something there are written as %xx")
    .optional(),
  /** Whom e-mails come from: an address, or `Whetstone <whetstone@example.com>`. */
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>$|^[^\s@<>]+@[^\s@<>]+$/, "must be an e-mail address, or Name <address>")
    .optional(),
  INNGEST_BASE_URL: z.url().optional(),
  INNGEST_EVENT_KEY: z.string().optional(),
  INNGEST_SIGNING_KEY: z.string().optional(),
  INNGEST_DEV: z.string().optional(),
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  /** A conversation without new spans for this long is read by the Rules. */
  DIAGNOSE_AFTER_QUIET_SECONDS: z.coerce.number().int().min(1).max(86_400).default(15),
  /** `off`: prices can be read and matched, and every change of them is answered with 501. */
  PRICING_WRITES: z.enum(["on", "off"]).default("on"),
  /** Requests to /v1 in a minute, by one key or member and by a whole project; 0 is no limit. */
  RATE_LIMIT_KEY_REQUESTS: limit.default(12_000),
  RATE_LIMIT_PROJECT_REQUESTS: limit.default(30_000),
  /** MiB of telemetry in a minute, after decompression, by one key and by a whole project; 0 is no limit. */
  RATE_LIMIT_KEY_INGEST_MIB: limit.default(6_000),
  RATE_LIMIT_PROJECT_INGEST_MIB: limit.default(12_000),
});
export type Env = z.infer<typeof variables>;

/** Variables that mean something only together, each with the others that it needs. */
const NEEDS: readonly { variable: keyof Env; needs: readonly (keyof Env)[]; because: string }[] = [
  { variable: "SMTP_URL", needs: ["MAIL_FROM", "PUBLIC_URL"], because: "an e-mail comes from somebody and links here" },
  { variable: "MAIL_FROM", needs: ["SMTP_URL"], because: "no e-mail is sent without a mail server" },
];

const schema = variables.superRefine((given, { addIssue }) => {
  for (const { variable, needs, because } of NEEDS) {
    const missing = given[variable] === undefined ? [] : needs.filter((name) => given[name] === undefined);
    if (missing.length === 0) continue;
    addIssue({ code: "custom", path: [variable], message: `needs ${missing.join(" and ")} beside it: ${because}` });
  }
});

/** Names every bad variable at once. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(present);
  if (!parsed.success) throw new Error(`Check the environment variables:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

let kept: Env | undefined;

/** Read on first use, so that a build, which needs no database, can import everything. */
export function env(): Env {
  kept ??= readEnv(process.env);
  return kept;
}
