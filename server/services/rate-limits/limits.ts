import { env } from "@/env";
import { type Actor, idOfActor } from "@/server/platform/context";
import type { Limit, Standing } from "./limiter";

const MINUTE_SECONDS = 60;
const MIB = 1024 * 1024;

const holderOf = (actor: Actor) => idOfActor(actor) ?? actor.kind;

/** Zero is no limit. */
const limitsOf = (what: string, unit: Limit["unit"], holder: string, perKey: number, perProject: number): Limit[] =>
  [
    { name: "key", id: `${what}:${holder}`, quota: perKey },
    { name: "project", id: what, quota: perProject },
  ]
    .filter(({ quota }) => quota > 0)
    .map((limit) => ({ ...limit, unit, windowSeconds: MINUTE_SECONDS }));

/** Limits on ordinary requests: by the key (or the member) and by the project. */
export const requestLimits = (actor: Actor): Limit[] =>
  limitsOf("requests", "requests", holderOf(actor), env().RATE_LIMIT_KEY_REQUESTS, env().RATE_LIMIT_PROJECT_REQUESTS);

/** Each caller's limit on one operation, beside those on requests. */
export const operationLimits = (actor: Actor, operation: string, perMinute: number): Limit[] => [
  {
    name: "operation",
    id: `operation:${operation}:${holderOf(actor)}`,
    quota: perMinute,
    unit: "requests",
    windowSeconds: MINUTE_SECONDS,
  },
];

/** Limits on telemetry, by its size: what it costs to take in is in its bytes, not in how they are packed. */
export const ingestLimits = (actor: Actor): Limit[] =>
  limitsOf(
    "ingest",
    "content-bytes",
    holderOf(actor),
    env().RATE_LIMIT_KEY_INGEST_MIB * MIB,
    env().RATE_LIMIT_PROJECT_INGEST_MIB * MIB,
  );

/** `RateLimit` and `RateLimit-Policy` of the IETF draft (draft-ietf-httpapi-ratelimit-headers). */
export function limitHeaders(standings: readonly Standing[]): Record<string, string> {
  if (standings.length === 0) return {};
  const policy = ({ limit }: Standing) =>
    `"${limit.name}";q=${Math.floor(limit.quota)};w=${limit.windowSeconds}${limit.unit === "requests" ? "" : `;qu="${limit.unit}"`}`;
  const state = ({ limit, remaining, resetSeconds }: Standing) => `"${limit.name}";r=${remaining};t=${resetSeconds}`;
  return { "ratelimit-policy": standings.map(policy).join(", "), ratelimit: standings.map(state).join(", ") };
}
