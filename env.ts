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

const variables = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must start with postgres://"),
  /** Owner of the tables, when it is not the user of DATABASE_URL. Never passed to the web server or the worker. */
  MIGRATION_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional(),
  /** At least two: background work holds one connection while it queries through another. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(10),
  /** Web processes that share the port. `npm start` starts them; each has its own pool. */
  WEB_PROCESSES: z.coerce.number().int().min(1).max(16).default(1),
  /** Timeout of a statement on behalf of a request, which then fails; 0 means no limit. */
  DATABASE_STATEMENT_SECONDS: z.coerce.number().min(0).max(3600).default(20),
  /** Niceness of background work, 0 to 19; see `worker/yield-to-requests.ts`. */
  WORKER_NICENESS: z.coerce.number().int().min(0).max(19).default(10),
  /** Where generated secrets, the embedded database and artifacts live. */
  DATA_DIR: z.string().default(".data"),
  /** For the web process: `npm start` starts it alongside the database and tells it when to listen. */
  LISTEN: z.enum(["when-told"]).optional(),
  /** For the web process: an open file in which `npm start` reads the operations in progress after a crash. */
  OPERATIONS_FD: z.coerce.number().int().min(3).optional(),
  /** The bucket that stores files, in place of a folder under DATA_DIR. */
  FILES_URL: z
    .string()
    .superRefine((text, { addIssue }) => {
      try {
        parseFilesUrl(text);
      } catch (error) {
        addIssue({ code: "custom", message: (error as Error).message });
      }
    })
    .optional(),
  HOST: z.string().default("127.0.0.1"),
  PORT: port.default(3000),
  /** Signs and encrypts API-key hashes, cookies and the key ring. `npm start` generates one into DATA_DIR. */
  WHETSTONE_SECRET: z.string().min(SECRET_CHARACTERS_MIN).optional(),
  /** A file with the secret, in place of the variable, so that it need not be next to the database. */
  WHETSTONE_SECRET_FILE: secretFile.optional(),
  /** The public URL, when it is not http://HOST:PORT (behind a proxy). */
  PUBLIC_URL: z.url().optional(),
  /** Proxies whose `X-Forwarded-For` is trusted: addresses and networks, or the number of proxies. Read by the web process. */
  TRUSTED_PROXIES: readBy(trustedProxies).optional(),
  /** What connections may reach besides public addresses over TLS: hosts, addresses and networks. */
  OUTBOUND_ALLOW: readBy(allowList).optional(),
  DEPLOYMENT_TARGET: z.string().max(100).default("self-hosted"),
  /** Whether people can sign in with e-mail and password. */
  PASSWORD_SIGN_IN: z.enum(["on", "off"]).default("on"),
  /** The OpenID Connect provider for sign-in, by its issuer URL, and this installation's client there. */
  OIDC_ISSUER: z.url().refine(isPrivate, "must be https, unless the provider runs on this machine").optional(),
  OIDC_CLIENT_ID: z.string().max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().max(1000).optional(),
  /** The provider's display name. */
  OIDC_NAME: z.string().trim().min(1).max(60).default("single sign-on"),
  /** Restricts sign-in through the provider to e-mail addresses in these domains. */
  OIDC_ALLOWED_DOMAINS: list(/^[^\s@,]+\.[^\s@,]+$/, "must be comma-separated domains, such as example.com")
    .transform((domains) => domains.map((domain) => domain.toLowerCase()))
    .optional(),
  /** Role and projects of people who sign in through the provider without having an account. */
  OIDC_DEFAULT_ROLE: z.enum(["viewer", "editor", "manager"]).optional(),
  OIDC_DEFAULT_PROJECTS: z
    .union([z.literal("*"), list(/^prj_\w+$/, "must be comma-separated project ids, or *")])
    .optional(),
  /** The mail server, with user and password. Without it no e-mail is sent. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/?#]/, "must look like smtps://user:password@host:465 or smtp://host:587")
    .refine(URL.canParse, "is not a valid URL; percent-encode special characters in the password")
    .optional(),
  /** The sender of e-mails: an address, or `Whetstone <whetstone@example.com>`. */
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>$|^[^\s@<>]+@[^\s@<>]+$/, "must be an e-mail address, or Name <address>")
    .optional(),
  /** The trainer that this installation calls, and its bearer token. Naming its host allows exactly that host. */
  TRAINER_URL: z
    .url({ protocol: /^https?$/, error: "must look like http://trainer:8600 or https://trainer.example.com" })
    .refine((url) => !/[?#@]/.test(url), "must have no user, query or fragment; the token goes to TRAINER_TOKEN")
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  TRAINER_TOKEN: z.string().min(16, "must have at least 16 characters").max(1000).optional(),
  INNGEST_BASE_URL: z.url().optional(),
  INNGEST_EVENT_KEY: z.string().optional(),
  INNGEST_SIGNING_KEY: z.string().optional(),
  INNGEST_DEV: z.string().optional(),
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  /** The Rules read a conversation once it has been inactive (no new spans) for this long. */
  DIAGNOSE_AFTER_QUIET_SECONDS: z.coerce.number().int().min(1).max(86_400).default(15),
  /** `off`: prices can be read and matched, but every change is rejected with 501. */
  PRICING_WRITES: z.enum(["on", "off"]).default("on"),
  /** Requests to /v1 per minute, by key or member and by project; 0 means no limit. */
  RATE_LIMIT_KEY_REQUESTS: limit.default(12_000),
  RATE_LIMIT_PROJECT_REQUESTS: limit.default(30_000),
  /** MiB of telemetry per minute, after decompression, by key and by project; 0 means no limit. */
  RATE_LIMIT_KEY_INGEST_MIB: limit.default(6_000),
  RATE_LIMIT_PROJECT_INGEST_MIB: limit.default(12_000),
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
  { variable: "TRAINER_URL", needs: ["TRAINER_TOKEN"], because: "a trainer accepts work only from its own web app" },
  { variable: "TRAINER_TOKEN", needs: ["TRAINER_URL"], because: "the token belongs to that trainer" },
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
