import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseFilesUrl } from "./server/platform/files/files-url";
import { trustedProxies } from "./server/platform/http/client-address";
import { allowList } from "./server/platform/outbound/allow-list";

const port = z.coerce.number().int().min(0).max(65535);

const limit = z.coerce.number().min(0).max(100_000_000);

/** Values with commas between them; at least one. */
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
/** Nobody between us and the address can read or change what is said. */
const isPrivate = (url: string) => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
};

const SECRET_CHARACTERS_MIN = 32;

/** The text of a file that holds a secret and nothing else. */
const secretFile = z.string().transform((file, { addIssue }) => {
  try {
    const secret = readFileSync(file, "utf8").trim();
    if (secret.length >= SECRET_CHARACTERS_MIN) return secret;
    addIssue({ code: "custom", message: `${file} has to hold at least ${SECRET_CHARACTERS_MIN} characters` });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    addIssue({ code: "custom", message: `${file} cannot be read${code}` });
  }
  return z.NEVER;
});

/** Text that `read` takes; what it throws is the problem. */
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
  /** Whose the tables are, where that is not the user of DATABASE_URL. The web server and the worker never have it. */
  MIGRATION_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional(),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10),
  /** A statement on behalf of a request that takes longer is given up, and the request refused; 0 is no limit. */
  DATABASE_STATEMENT_SECONDS: z.coerce.number().min(0).max(3600).default(20),
  /** Where generated secrets, the embedded database and artifacts live. */
  DATA_DIR: z.string().default(".data"),
  /** Of the web process: `npm start` has it come up beside the database, and tells it when to listen. */
  LISTEN: z.enum(["when-told"]).optional(),
  /** The bucket where files lie, when it is not a folder under DATA_DIR. */
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
  /** Encrypts and signs: API-key hashes, cookies, the key ring. `npm start` generates one into DATA_DIR. */
  WHETSTONE_SECRET: z.string().min(SECRET_CHARACTERS_MIN).optional(),
  /** A file with the secret, in place of the variable: it need not lie next to the database. */
  WHETSTONE_SECRET_FILE: secretFile.optional(),
  /** The address people type, when it is not http://HOST:PORT (behind a proxy). */
  PUBLIC_URL: z.url().optional(),
  /** Whose `X-Forwarded-For` counts: addresses and networks, or how many proxies stand in front. The web process reads it. */
  TRUSTED_PROXIES: readBy(trustedProxies).optional(),
  /** What connections may reach beside public addresses over TLS: hosts, addresses and networks. */
  OUTBOUND_ALLOW: readBy(allowList).optional(),
  DEPLOYMENT_TARGET: z.string().max(100).default("self-hosted"),
  /** Whether people can sign in with e-mail and password. */
  PASSWORD_SIGN_IN: z.enum(["on", "off"]).default("on"),
  /** The OpenID Connect provider through which people sign in, as it names itself, and this installation's client there. */
  OIDC_ISSUER: z.url().refine(isPrivate, "must be https, unless the provider runs on this very machine").optional(),
  OIDC_CLIENT_ID: z.string().max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().max(1000).optional(),
  /** What people call the provider. */
  OIDC_NAME: z.string().trim().min(1).max(60).default("single sign-on"),
  /** Only people with an address of these domains may sign in through the provider. */
  OIDC_ALLOWED_DOMAINS: list(/^[^\s@,]+\.[^\s@,]+$/, "must be domains with commas between them, such as example.com")
    .transform((domains) => domains.map((domain) => domain.toLowerCase()))
    .optional(),
  /** What somebody becomes who signs in through the provider and has no account, and in which projects. */
  OIDC_DEFAULT_ROLE: z.enum(["viewer", "editor", "manager"]).optional(),
  OIDC_DEFAULT_PROJECTS: z
    .union([z.literal("*"), list(/^prj_\w+$/, "must be ids of projects with commas between them, or *")])
    .optional(),
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
type Variable = keyof typeof variables.shape;

/** Variables that mean something only together, each with the others that it needs. */
const NEEDS: readonly { variable: Variable; needs: readonly Variable[]; because: string }[] = [
  {
    variable: "OIDC_ISSUER",
    needs: ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
    because: "the provider has to know who asks",
  },
  { variable: "OIDC_CLIENT_ID", needs: ["OIDC_ISSUER"], because: "it is known to one provider" },
  { variable: "OIDC_CLIENT_SECRET", needs: ["OIDC_ISSUER"], because: "it is known to one provider" },
  { variable: "OIDC_ALLOWED_DOMAINS", needs: ["OIDC_ISSUER"], because: "it limits who comes through a provider" },
  {
    variable: "OIDC_DEFAULT_ROLE",
    needs: ["OIDC_ISSUER", "OIDC_DEFAULT_PROJECTS"],
    because: "a role is one in a project",
  },
  {
    variable: "OIDC_DEFAULT_ROLE",
    needs: ["OIDC_ALLOWED_DOMAINS"],
    because: "otherwise whoever has an account at the provider, of any company, would become a member",
  },
  { variable: "OIDC_DEFAULT_PROJECTS", needs: ["OIDC_DEFAULT_ROLE"], because: "a member has a role" },
  { variable: "SMTP_URL", needs: ["MAIL_FROM", "PUBLIC_URL"], because: "an e-mail comes from somebody and links here" },
  { variable: "MAIL_FROM", needs: ["SMTP_URL"], because: "no e-mail is sent without a mail server" },
];

const checked = variables.superRefine((given, { addIssue }) => {
  if ((given.WHETSTONE_SECRET === undefined) === (given.WHETSTONE_SECRET_FILE === undefined)) {
    const message =
      given.WHETSTONE_SECRET === undefined
        ? "is missing: set it, or WHETSTONE_SECRET_FILE"
        : "is set beside WHETSTONE_SECRET_FILE: keep one of them";
    addIssue({ code: "custom", path: ["WHETSTONE_SECRET"], message });
  }
  for (const { variable, needs, because } of NEEDS) {
    const missing = given[variable] === undefined ? [] : needs.filter((name) => given[name] === undefined);
    if (missing.length === 0) continue;
    addIssue({ code: "custom", path: [variable], message: `needs ${missing.join(" and ")} beside it: ${because}` });
  }
  if (given.PASSWORD_SIGN_IN === "off" && given.OIDC_ISSUER === undefined) {
    const message = "can be off only with OIDC_ISSUER and its client beside it: nobody could come in";
    addIssue({ code: "custom", path: ["PASSWORD_SIGN_IN"], message });
  }
});

/** Wherever the secret came from, the program reads it in one place. */
const schema = checked.transform(({ WHETSTONE_SECRET, WHETSTONE_SECRET_FILE, ...rest }) => ({
  ...rest,
  WHETSTONE_SECRET: (WHETSTONE_SECRET ?? WHETSTONE_SECRET_FILE) as string,
}));
export type Env = z.infer<typeof schema>;

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
