import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseFilesUrl } from "./server/platform/files/files-url";
import { trustedProxies } from "./server/platform/http/client-address";
import { allowList } from "./server/platform/outbound/allow-list";

const port = z.coerce.number().int().min(0).max(65535);

const limit = z.coerce.number().min(0).max(100_000_000);

/** A comma-separated list with at least one value. */
const list = (shape: RegExp, problem: string) =>
  z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .refine((values) => values.length > 0 && values.every((value) => shape.test(value)), problem);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** Returns whether nobody can intercept the traffic: TLS, or plain HTTP to loopback. */
const isPrivate = (url: string) => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
};

const SECRET_CHARACTERS_MIN = 32;

/** Path of a file that contains only a secret; resolves to its text. */
const secretFile = z.string().transform((file, { addIssue }) => {
  try {
    const secret = readFileSync(file, "utf8").trim();
    if (secret.length >= SECRET_CHARACTERS_MIN) return secret;
    addIssue({ code: "custom", message: `${file} must contain at least ${SECRET_CHARACTERS_MIN} characters` });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    addIssue({ code: "custom", message: `${file} cannot be read${code}` });
  }
  return z.NEVER;
});

/** Text that `read` parses; the message of an error that it throws becomes the problem. */
const readBy = (read: (text: string) => unknown) =>
  z.string().superRefine((text, { addIssue }) => {
    try {
      read(text);
    } catch (error) {
      addIssue({ code: "custom", message: (error as Error).message });
    }
  });

const url = (shape: RegExp, problem: string) => z.string().regex(shape, problem);

const ADDRESSES = {
  HOST: z.string().default("127.0.0.1").describe("Where it listens."),
  PORT: port.default(3000).describe("Where it listens."),
  OTLP_GRPC_PORT: port
    .optional()
    .describe(
      "Where it receives OTLP over gRPC, on the same host and without TLS; `0` turns it off. Unset: 4317, the port that exporters expect, unless another program uses it.",
    ),
  PUBLIC_URL: z
    .url()
    .optional()
    .describe(
      "The address that people type, if a proxy is in front; https makes cookies secure. Unset: `http://HOST:PORT`.",
    ),
  TRUSTED_PROXIES: readBy(trustedProxies)
    .optional()
    .describe(
      "Proxies whose `X-Forwarded-For` is trusted: addresses and networks (`10.0.0.2,172.16.0.0/12`), or the number of proxies in front (`1`). Set it behind a proxy, or all visitors share one client's attempt limits; use a number only if the server can be reached through the proxy alone. Unset: none.",
    ),
};

const DATA = {
  DATA_DIR: z
    .string()
    .default(".data")
    .describe(
      "Where the embedded PostgreSQL, the generated secret, files and logs are. Of an installed package: `~/.whetstone`.",
    ),
  DATABASE_URL: url(/^postgres(ql)?:\/\//, "must start with postgres://").describe(
    "Any PostgreSQL from 15 on. Unset: an embedded one.",
  ),
  MIGRATION_DATABASE_URL: url(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional()
    .describe(
      "The table owner's address, so that `DATABASE_URL` can name a user who cannot change the audit log. Never passed to the web server or the worker. [How](decisions/operating/database-rights.md). Unset: the user of `DATABASE_URL` owns the tables.",
    ),
  DATABASE_POOLER: z
    .literal("transaction")
    .optional()
    .describe(
      "`transaction`: `DATABASE_URL` names a pooler that gives each transaction another connection, such as PgBouncer or a provider's; `MIGRATION_DATABASE_URL` must then name the database itself. [How](decisions/operating/many-machines.md). Unset: connections are the database's own.",
    ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    // Background work holds one connection while it queries through another.
    .min(2)
    .max(200)
    .default(10)
    .describe(
      "Connections per process; the web server opens half as many more for arriving telemetry. [Failures](decisions/operating/database-failures.md).",
    ),
  DATABASE_STATEMENT_SECONDS: z.coerce
    .number()
    .min(0)
    .max(3600)
    .default(20)
    .describe("Timeout of a statement on behalf of a request, which then fails; 0 means no limit."),
  FILES_URL: readBy(parseFilesUrl)
    .optional()
    .describe(
      "An S3-compatible bucket for files: `s3://bucket/prefix?endpoint=https://s3.example.com&region=…`; credentials as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. [Files](decisions/reading/files.md). Unset: a folder under `DATA_DIR`.",
    ),
  WHETSTONE_SECRET: z
    .string()
    .min(SECRET_CHARACTERS_MIN)
    .optional()
    .describe(
      "The installation's secret: signs cookies and API keys, and [encrypts connections' secrets](decisions/running/secrets.md). If it is lost, all of these become invalid. Unset: generated once into `DATA_DIR`.",
    ),
  WHETSTONE_SECRET_FILE: secretFile
    .optional()
    .describe("A file that contains only the secret, which can be stored apart from the database."),
};

const PROCESSES = {
  WEB_PROCESSES: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe(
      "Web processes that share the port, so that one request's computing delays fewer others and more processors serve. Each takes memory and connections of its own. [Failures](decisions/operating/web-processes.md#several-web-processes).",
    ),
  WORKER_NICENESS: z.coerce
    .number()
    .int()
    .min(0)
    .max(19)
    .default(10)
    .describe("How far background work and its database connections yield to requests and to other programs; 0: not."),
  INNGEST_BASE_URL: z
    .url()
    .optional()
    .describe(
      "A self-hosted Inngest server or Inngest Cloud. [Jobs](decisions/running/jobs.md). Unset: the embedded runner.",
    ),
  INNGEST_EVENT_KEY: z.string().optional().describe("Its event key."),
  INNGEST_SIGNING_KEY: z.string().optional().describe("Its signing key."),
  INNGEST_DEV: z.string().optional().describe("`1` for Inngest's development server, which needs no keys."),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info").describe("What is logged."),
  DEPLOYMENT_TARGET: z.string().max(100).default("self-hosted").describe("A name for this installation in `/healthz`."),
};

const BEHAVIOUR = {
  DIAGNOSE_AFTER_QUIET_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(15)
    .describe(
      "How long a conversation must be inactive (no new spans) before the Rules check it; also the polling interval, 15 s at most.",
    ),
  PRICING_WRITES: z
    .enum(["on", "off"])
    .default("on")
    .describe("`off` freezes prices: they can be read and matched, but a change is a 501."),
  OUTBOUND_ALLOW: readBy(allowList)
    .optional()
    .describe(
      "Additional destinations for connections to other services: hosts, addresses and networks, such as `127.0.0.1:11434,ollama.lan,10.0.0.0/8`. [Details](decisions/running/outbound.md). Unset: public addresses over https only.",
    ),
  RATE_LIMIT_KEY_REQUESTS: limit
    .default(12_000)
    .describe(
      "Requests to `/v1` per minute by key or member; 0 means no limit. [Limits](decisions/running/http-limits.md).",
    ),
  RATE_LIMIT_PROJECT_REQUESTS: limit.default(30_000).describe("The same by project."),
  RATE_LIMIT_KEY_INGEST_MIB: limit
    .default(6_000)
    .describe("MiB of telemetry per minute, after decompression, by key; 0 means no limit."),
  RATE_LIMIT_PROJECT_INGEST_MIB: limit.default(12_000).describe("The same by project."),
};

const SIGN_IN = {
  PASSWORD_SIGN_IN: z
    .enum(["on", "off"])
    .default("on")
    .describe("`off` makes the provider the only way to sign in. [Sign-in](decisions/access/sign-in.md)."),
  OIDC_ISSUER: z
    .url()
    .refine(isPrivate, "must be https, unless the provider runs on this machine")
    .optional()
    .describe(
      "Sign-in through an OpenID Connect provider, by its issuer URL; register `PUBLIC_URL/api/auth/callback/oidc` with it. Unset: e-mail and password only.",
    ),
  OIDC_CLIENT_ID: z.string().max(500).optional().describe("This installation's client there."),
  OIDC_CLIENT_SECRET: z.string().max(1000).optional().describe("The client's secret."),
  OIDC_NAME: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .default("single sign-on")
    .describe("The button's label: “Continue with …”."),
  OIDC_ALLOWED_DOMAINS: list(/^[^\s@,]+\.[^\s@,]+$/, "must be comma-separated domains, such as example.com")
    .transform((domains) => domains.map((domain) => domain.toLowerCase()))
    .optional()
    .describe("E-mail domains that may sign in through the provider: `example.com,example.org`. Unset: any verified."),
  OIDC_DEFAULT_ROLE: z
    .enum(["viewer", "editor", "manager"])
    .optional()
    .describe(
      "The role of people who sign in through the provider without an account; needs `OIDC_ALLOWED_DOMAINS`. Unset: they need an account or an invitation.",
    ),
  OIDC_DEFAULT_PROJECTS: z
    .union([z.literal("*"), list(/^prj_\w+$/, "must be comma-separated project ids, or *")])
    .optional()
    .describe("Their projects: ids, or `*` for all existing ones."),
  SMTP_URL: url(/^smtps?:\/\/[^/?#]/, "must look like smtps://user:password@host:465 or smtp://host:587")
    .refine(URL.canParse, "is not a valid URL; percent-encode special characters in the password")
    .optional()
    .describe(
      "The mail server: `smtps://user:password@host:465`; `smtp://` with a password needs STARTTLS. Sends invitations and password links; needs `PUBLIC_URL`. Unset: no e-mail is sent.",
    ),
  MAIL_FROM: url(
    /^[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>$|^[^\s@<>]+@[^\s@<>]+$/,
    "must be an e-mail address, or Name <address>",
  )
    .optional()
    .describe("The sender of e-mails: an address, or `Whetstone <whetstone@example.com>`."),
};

/** Variables that people set, by the headings of `docs/configuration.md`, which is generated from their descriptions. */
export const SETTINGS = {
  Addresses: ADDRESSES,
  Data: DATA,
  "Sign-in and e-mail": SIGN_IN,
  "Processes and jobs": PROCESSES,
  "Behaviour and limits": BEHAVIOUR,
};

const variables = z.object({
  ...ADDRESSES,
  ...DATA,
  ...SIGN_IN,
  ...PROCESSES,
  ...BEHAVIOUR,
  /** For the web process: `npm start` starts it alongside the database and tells it when to listen. */
  LISTEN: z.enum(["when-told"]).optional(),
  /** For the web process: an open file in which `npm start` reads the operations in progress after a crash. */
  OPERATIONS_FD: z.coerce.number().int().min(3).optional(),
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
});
type Variable = keyof typeof variables.shape;

/** Variables that are valid only together, each with the others that it requires. */
const NEEDS: readonly { variable: Variable; needs: readonly Variable[]; because: string }[] = [
  {
    variable: "OIDC_ISSUER",
    needs: ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
    because: "they identify this installation to the provider",
  },
  { variable: "OIDC_CLIENT_ID", needs: ["OIDC_ISSUER"], because: "it identifies a client of that provider" },
  { variable: "OIDC_CLIENT_SECRET", needs: ["OIDC_ISSUER"], because: "it identifies a client of that provider" },
  { variable: "OIDC_ALLOWED_DOMAINS", needs: ["OIDC_ISSUER"], because: "it limits who signs in through the provider" },
  {
    variable: "OIDC_DEFAULT_ROLE",
    needs: ["OIDC_ISSUER", "OIDC_DEFAULT_PROJECTS"],
    because: "a role applies to projects",
  },
  {
    variable: "OIDC_DEFAULT_ROLE",
    needs: ["OIDC_ALLOWED_DOMAINS"],
    because: "otherwise anyone with an account at the provider, from any company, would become a member",
  },
  { variable: "OIDC_DEFAULT_PROJECTS", needs: ["OIDC_DEFAULT_ROLE"], because: "members need a role" },
  {
    variable: "SMTP_URL",
    needs: ["MAIL_FROM", "PUBLIC_URL"],
    because: "e-mails need a sender and an address for their links",
  },
  { variable: "MAIL_FROM", needs: ["SMTP_URL"], because: "no e-mail is sent without a mail server" },
];

const checked = variables.superRefine((given, { addIssue }) => {
  if ((given.WHETSTONE_SECRET === undefined) === (given.WHETSTONE_SECRET_FILE === undefined)) {
    const message =
      given.WHETSTONE_SECRET === undefined
        ? "is missing: set it, or WHETSTONE_SECRET_FILE"
        : "is set together with WHETSTONE_SECRET_FILE: keep one of them";
    addIssue({ code: "custom", path: ["WHETSTONE_SECRET"], message });
  }
  for (const { variable, needs, because } of NEEDS) {
    const missing = given[variable] === undefined ? [] : needs.filter((name) => given[name] === undefined);
    if (missing.length === 0) continue;
    addIssue({ code: "custom", path: [variable], message: `also requires ${missing.join(" and ")}: ${because}` });
  }
  if (given.PASSWORD_SIGN_IN === "off" && given.OIDC_ISSUER === undefined) {
    const message = "can be off only when OIDC_ISSUER and its client are set: otherwise nobody could sign in";
    addIssue({ code: "custom", path: ["PASSWORD_SIGN_IN"], message });
  }
});

/** Merges both sources, so that the program reads the secret in one place. */
const schema = checked.transform(({ WHETSTONE_SECRET, WHETSTONE_SECRET_FILE, ...rest }) => ({
  ...rest,
  WHETSTONE_SECRET: (WHETSTONE_SECRET ?? WHETSTONE_SECRET_FILE) as string,
}));
export type Env = z.infer<typeof schema>;

/** Validates the environment; the error names every invalid variable at once. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(present);
  if (!parsed.success) throw new Error(`Check the environment variables:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

let cached: Env | undefined;

/** Returns the environment, read on first use, so that a build, which needs no database, can import everything. */
export function env(): Env {
  cached ??= readEnv(process.env);
  return cached;
}
