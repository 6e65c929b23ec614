import { Cron } from "croner";
import type { Inngest, InngestFunction } from "inngest";
import { momentOf } from "./durations";
import { compileExpression, type Expression } from "./expressions";

/** A function's declaration. `onFailure` handlers are functions of their own, as on the server. */
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

/** Unsupported options that affect which runs happen: ignoring one would run a function wrongly. */
const UNSUPPORTED_OPTIONS = ["batchEvents", "rateLimit", "throttle", "debounce", "singleton", "timeouts"] as const;

/** The result of `getConfig`: the description that the SDK registers with a server. */
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

/** Returns the functions' definitions; throws an error that names the function and the unsupported option. */
export function readDefinitions(client: Inngest.Any, functions: readonly InngestFunction.Any[]): Definitions {
  const definitions = new Map<string, Definition>();
  for (const fn of functions) {
    // The only access to a function's options as the server would get them, failure handlers included.
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

/** Sent by a server for each run, but not by this engine, which sends failures and cancellations only. */
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
    // Outside function scope, equal key expressions share one limit across functions.
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

/** Returns the schedule's next time after `now` (Unix ms), in UTC unless it begins with `TZ=<zone>`. */
export function nextCron(text: string, now: number): number {
  const next = cronOf(text).nextRun(new Date(now));
  if (!next) throw new Error("it never becomes due");
  return next.getTime();
}
