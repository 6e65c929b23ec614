import { Cron } from "croner";
import type { Inngest, InngestFunction } from "inngest";
import { momentOf } from "./durations";
import { compileExpression, type Expression } from "./expressions";

/** One function as the engine knows it. `onFailure` handlers are functions of their own, as on the server. */
export type Definition = {
  id: string;
  events: { name: string; condition: Expression | undefined }[];
  crons: string[];
  maxAttempts: number;
  concurrency: { scope: string; key: Expression | undefined; limit: number }[];
  priority: Expression | undefined;
  idempotency: Expression | undefined;
  cancelOn: { event: string; condition: Expression | undefined; within: number | undefined }[];
};

export type Definitions = ReadonlyMap<string, Definition>;

/** The server's default: one call and four retries. */
const DEFAULT_RETRIES = 4;

/** Options that change which runs happen, and that this engine does not have: ignoring one would be a wrong run. */
const UNSUPPORTED_OPTIONS = ["batchEvents", "rateLimit", "throttle", "debounce", "singleton", "timeouts"] as const;

/** What `getConfig` gives: the very description that the SDK registers with a server. */
type Config = {
  id: string;
  triggers?: { event?: string; expression?: string; cron?: string; jitter?: string }[];
  steps: Record<string, { retries?: { attempts: number } }>;
  concurrency?: number | ConcurrencyConfig | ConcurrencyConfig[];
  priority?: { run?: string };
  idempotency?: string;
  cancel?: { event: string; if?: string; timeout?: string }[];
} & { [option in (typeof UNSUPPORTED_OPTIONS)[number]]?: unknown };

type ConcurrencyConfig = { limit: number; key?: string; scope?: "fn" | "env" | "account" };

/** Reads what the functions declare, or throws a sentence that names the function and what it asks for in vain. */
export function readDefinitions(client: Inngest.Any, functions: readonly InngestFunction.Any[]): Definitions {
  const definitions = new Map<string, Definition>();
  for (const fn of functions) {
    // The one door to a function's options as the server would get them, failure handlers included.
    // biome-ignore lint/complexity/useLiteralKeys: element access is how TypeScript lets one reach it.
    const configs: Config[] = fn["getConfig"]({ baseUrl: new URL("http://embedded.invalid"), appPrefix: client.id });
    for (const config of configs) {
      if (definitions.has(config.id)) throw new Error(`Two functions have the id "${config.id}".`);
      try {
        definitions.set(config.id, definitionOf(config));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`The embedded job engine cannot run the function "${config.id}". ${why}`);
      }
    }
  }
  return definitions;
}

function definitionOf(config: Config): Definition {
  for (const option of UNSUPPORTED_OPTIONS) {
    if (config[option] !== undefined) throw new Error(`The option \`${option}\` is not supported.`);
  }
  const triggers = config.triggers ?? [];
  return {
    id: config.id,
    events: triggers.flatMap(({ event, expression }) =>
      event ? [{ name: plainName(event), condition: optional(expression) }] : [],
    ),
    crons: triggers.flatMap(({ cron, jitter }) => {
      if (jitter) throw new Error("The option `jitter` of a cron trigger is not supported.");
      return cron ? [checkedCron(cron)] : [];
    }),
    maxAttempts: (config.steps.step?.retries?.attempts ?? DEFAULT_RETRIES) + 1,
    concurrency: concurrencyOf(config),
    priority: optional(config.priority?.run),
    idempotency: optional(config.idempotency),
    cancelOn: (config.cancel ?? []).map((cancel) => ({
      event: plainName(cancel.event),
      condition: optional(cancel.if),
      within: cancel.timeout === undefined ? undefined : momentOf(cancel.timeout, 0),
    })),
  };
}

const optional = (source: string | undefined) => (source ? compileExpression(source) : undefined);

/** What a server sends about each of its runs, and this engine does not. (A failure and a cancellation it does send.) */
const UNSENT_EVENT = "inngest/function.finished";

function plainName(event: string) {
  if (event === UNSENT_EVENT) throw new Error(`The event \`${event}\` is never sent.`);
  if (event.includes("*")) throw new Error(`The wildcard trigger \`${event}\` is not supported.`);
  return event;
}

function concurrencyOf({ id, concurrency }: Config): Definition["concurrency"] {
  if (concurrency === undefined) return [];
  const rules = typeof concurrency === "number" ? [{ limit: concurrency }] : [concurrency].flat();
  return rules.map(({ limit, key, scope = "fn" }) => ({
    // Beyond the function, equal key expressions share one limit, whichever function names them.
    scope: scope === "fn" ? `fn:${id}:${key ?? ""}` : `${scope}:${key ?? ""}`,
    key: optional(key),
    limit,
  }));
}

const TIME_ZONE = /^TZ=(\S+)\s+/;

function cronOf(text: string) {
  const zone = TIME_ZONE.exec(text)?.[1] ?? "UTC";
  return new Cron(text.replace(TIME_ZONE, ""), { timezone: zone, paused: true });
}

function checkedCron(text: string) {
  try {
    nextCron(text, 0);
    return text;
  } catch (error) {
    throw new Error(`The schedule \`${text}\` cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

/** The first moment after `now` that the schedule names, in UTC unless it begins with `TZ=<zone>`. */
export function nextCron(text: string, now: number): number {
  const next = cronOf(text).nextRun(new Date(now));
  if (!next) throw new Error("it never comes due");
  return next.getTime();
}
