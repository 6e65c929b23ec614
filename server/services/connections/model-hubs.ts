import { and, asc, desc, eq, isNotNull, ne, sql } from "drizzle-orm";
import { connections } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { OutboundError } from "@/server/platform/outbound";
import { kindOf } from "./kinds";
import { hubProblems } from "./kinds/model-hub";
import { withTimeout } from "./kinds/with-timeout";
import { clientFor } from "./open-connection";
import { problemOf } from "./problem-of";
import { openSecret, readConnection } from "./read-connection";
import { DEFAULT_SETTINGS } from "./schemas";

/** Short, because a user is waiting for the result. */
const CHECK_MS = 10_000;

const USE = sql`coalesce(${connections.settings} ->> 'use', ${DEFAULT_SETTINGS["model-hub"].use})`;
/** Condition: the project's connections to model hubs that are used for downloads. */
const isForDownloads = ({ projectId }: Pick<Ctx, "projectId">) =>
  and(eq(connections.projectId, projectId), eq(connections.kind, "model-hub"), sql`${USE} in ('download', 'both')`);

/** Returns the project's connections to model hubs that can publish, oldest first: those with a token for it. */
export const modelHubs = ({ db, projectId }: Pick<Ctx, "db" | "projectId">) =>
  db
    .select({ id: connections.id, name: connections.name, baseUrl: connections.baseUrl })
    .from(connections)
    .where(
      and(
        eq(connections.projectId, projectId),
        eq(connections.kind, "model-hub"),
        isNotNull(connections.secretSealed),
        sql`${USE} <> 'download'`,
      ),
    )
    .orderBy(asc(connections.createdAt), asc(connections.id));

/** Asks a hub whether the connection's token may write to a repository; returns the obstacles as messages for people. */
export async function checkHub(ctx: Ctx, connectionId: string, repoId: string): Promise<string[]> {
  const row = await readConnection(ctx, connectionId);
  try {
    return await hubProblems(withTimeout(await clientFor(ctx, row, "check"), CHECK_MS), repoId);
  } catch (error) {
    if (error instanceof OutboundError) return [problemOf(error, kindOf(row.kind))];
    if (error instanceof ServiceError && error.code === "unprocessable") return [error.message];
    throw error;
  }
}

/**
 * Returns a hub's address and token for the trainer that publishes or downloads there: the only place where a secret leaves us. The audit
 * log records who used it for what. It goes into one request and is not stored.
 */
export async function openHub(
  ctx: Ctx,
  connectionId: string,
  purpose: string,
): Promise<{ endpoint: string; token: string }> {
  const row = await readConnection(ctx, connectionId);
  const token = row.kind === "model-hub" ? openSecret(row) : undefined;
  if (token === undefined) throw new ServiceError("unprocessable", "The connection has no model hub token.");
  await clientFor(ctx, row, purpose);
  return { endpoint: row.baseUrl, token };
}

/** Returns the id of the project's connection for downloads; `null` if it has none with a token. */
export async function downloadHub({ db, projectId }: Pick<Ctx, "db" | "projectId">): Promise<string | null> {
  const [found] = await db
    .select({ id: connections.id })
    .from(connections)
    .where(and(isForDownloads({ projectId }), isNotNull(connections.secretSealed)))
    .orderBy(desc(connections.createdAt), desc(connections.id))
    .limit(1);
  return found?.id ?? null;
}

/** Throws a 409 if another connection of the project is already for downloads. */
export async function requireOnlyDownloads(tx: Ctx, connectionId: string, settings: Record<string, unknown>) {
  if (settings.use !== "download" && settings.use !== "both") return;
  const [other] = await tx.db
    .select({ name: connections.name })
    .from(connections)
    .where(and(isForDownloads(tx), ne(connections.id, connectionId)))
    .limit(1);
  if (!other) return;
  throw new ServiceError(
    "conflict",
    `“${other.name}” is already the project's connection for downloads. Change it instead.`,
  );
}

/** Returns a value without the connection's token: the publishing trainer may echo it. */
export async function hideHubToken<Value>(ctx: Ctx, connectionId: string, value: Value): Promise<Value> {
  const row = await readConnection(ctx, connectionId).catch(() => undefined);
  let token: string | undefined;
  try {
    token = row && openSecret(row);
  } catch {
    // A secret that cannot be decrypted cannot have been echoed either.
  }
  return token === undefined ? value : (withoutText(value, token) as Value);
}

function withoutText(value: unknown, hidden: string): unknown {
  if (typeof value === "string") return value.replaceAll(hidden, "***");
  if (Array.isArray(value)) return value.map((item) => withoutText(item, hidden));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutText(item, hidden)]));
}
