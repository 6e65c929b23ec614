import { ServiceError } from "../errors";

/** What can be wrong with a database that was well a moment ago. All of it may pass by itself. */
export type Trouble = "away" | "full" | "slow" | "busy";

/** Codes of Postgres (SQLSTATE), of postgres.js and of Node. */
const CODES: Record<Trouble, RegExp> = {
  full: /^53100$/,
  slow: /^(57014|25P0[34])$/,
  busy: /^(53...|40001|40P01|55P03)$/,
  away: /^(08...|57P0[1-5]|CONNECT(_TIMEOUT|ION_\w+)|ECONN\w+|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN)$/,
};

/** Each as a sentence: for callers, and for whoever asks what is ill. */
export const TROUBLES: Record<Trouble, string> = {
  full: "The database has no room left: nothing can be stored until it has.",
  slow: "The database takes too long over what it is asked.",
  busy: "The database is busy with other work.",
  away: "The database cannot be reached at the moment.",
};

/**
 * OpenTelemetry's exporters try five times, and not past a time-out that is ten seconds unless it was raised. Told two
 * seconds at first and half as much again as the trouble is old, they come through a restart of the database with what
 * they are set to, and through a whole minute with `OTEL_EXPORTER_OTLP_TIMEOUT` raised: at 2, 5, 13, 33 and 63 seconds.
 */
const SHORTEST_RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = 30;
const OF_ITS_AGE = 1.5;
/** A minute without any: what comes then is a trouble of its own. Clients that were told the longest come back before. */
const FORGOTTEN_MS = 60_000;

/** From its first sign to its last, by a clock that never jumps. */
type Spell = { since: number; last: number };
/** Routes share this map; pages, a bundle of their own, only read, and readiness is told by routes. */
const spells = new Map<Trouble, Spell>();

export const troubleOf = (codes: readonly string[]): Trouble | undefined =>
  (Object.keys(CODES) as Trouble[]).find((trouble) => codes.some((code) => CODES[trouble].test(code)));

/** Whether this process met such a trouble within the last minute and nothing has shown since that it is over. */
export function isTroubled(trouble: Trouble, now = performance.now()): boolean {
  const spell = spells.get(trouble);
  return spell !== undefined && now - spell.last < FORGOTTEN_MS;
}

/** Remembers the trouble and makes it the error that callers are told, with how long they had better wait. */
export function unavailable(trouble: Trouble, cause: unknown, now = performance.now()): ServiceError {
  const since = isTroubled(trouble, now) ? spells.get(trouble)!.since : now;
  spells.set(trouble, { since, last: now });
  const ofItsAge = Math.ceil((OF_ITS_AGE * (now - since)) / 1000);
  const retryAfter = Math.min(LONGEST_RETRY_SECONDS, Math.max(SHORTEST_RETRY_SECONDS, ofItsAge));
  return new ServiceError("unavailable", `${TROUBLES[trouble]} Try again in ${retryAfter} s.`, { retryAfter, cause });
}

/** The database did what it was asked for: whatever that shows to be over is forgotten. */
export function databaseWorked(effect: "read" | "write") {
  for (const trouble of spells.keys()) if (trouble !== "full" || effect === "write") spells.delete(trouble);
}
