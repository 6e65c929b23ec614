import { type ClientOptions, Inngest } from "inngest";
import { db } from "@/db/pool";
import { env } from "@/env";
import { inngestServer } from "@/server/engine/configuration";
import { outboxFetch } from "@/server/engine/events/outbox-fetch";
import { APP_ID } from "@/server/platform/jobs/catalogue";
import { logger } from "@/server/platform/logging/log";
import { PlainErrors } from "./plain-errors";

/** Never contacted: the client requires a URL even if its `fetch` does not need one. */
const UNUSED_ADDRESS = "http://embedded.invalid";

const viaOutbox = outboxFetch(db);

/**
 * With `INNGEST_BASE_URL` a client of that server; without it, one whose events go to the outbox of this database. The SDK
 * reads this object lazily; getters defer reading the environment until then, so that a build can import the functions.
 */
const options: ClientOptions = {
  id: APP_ID,
  // Do not send span metadata of our own calls to Inngest.
  aiMetadata: false,
  middleware: [PlainErrors],
  get isDev() {
    return inngestServer(env())?.isDev ?? true;
  },
  get baseUrl() {
    return inngestServer(env())?.baseUrl ?? UNUSED_ADDRESS;
  },
  get eventKey() {
    return inngestServer(env())?.eventKey ?? "";
  },
  get signingKey() {
    return inngestServer(env())?.signingKey ?? "";
  },
  // biome-ignore lint/style/noRestrictedGlobals: INNGEST_BASE_URL is the operator's own server, at whatever address
  fetch: (...request) => (inngestServer(env()) ? fetch(...request) : viaOutbox(...request)),
  logger: {
    debug: (...line) => logger("jobs").debug(...asLine(line)),
    info: (...line) => logger("jobs").info(...asLine(line)),
    warn: (...line) => logger("jobs").warn(...asLine(line)),
    error: (...line) => logger("jobs").error(...asLine(line)),
  },
};

export const inngest = new Inngest(options);

/** The SDK logs as pino does, `(fields, message)`, and functions may log as the console does. */
function asLine(line: unknown[]): [object, string] {
  const [first, ...rest] = line;
  if (typeof first === "object" && first !== null) return [first, rest.map(String).join(" ")];
  return [{}, line.map(String).join(" ")];
}
