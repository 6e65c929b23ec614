import { and, asc, eq, getTableColumns } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { connections, ringKeys } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { readAhead } from "@/server/platform/database/read-ahead";
import { HOUR_MS } from "@/server/platform/durations";
import { modelOutbound } from "@/server/platform/outbound";
import type { ConnectionClient } from "./kinds/kind";
import { frequentClientFor } from "./open-connection";
import type { ConnectionRow } from "./read-connection";
import { DEFAULT_SETTINGS, type ModelDialectName, SETTINGS } from "./schemas";

const CLIENTS_MAX = 10_000;

/** A model connection whose calls applications make through us. */
export type CallableModel = Pick<ConnectionRow, "id" | "name" | "baseUrl"> & {
  defaultModel: string | null;
  dialect: ModelDialectName;
  /** Returns its client, for calls of many minutes. Must not be called in a transaction. */
  open: (ctx: Ctx) => Promise<ConnectionClient>;
};

const clients = new LRUCache<string, Promise<ConnectionClient>>({ max: CLIENTS_MAX, ttl: HOUR_MS });

/** Opens a connection once an hour: each time decrypts its secret, and may write an audit entry. */
function open(ctx: Ctx, row: ConnectionRow): Promise<ConnectionClient> {
  const key = JSON.stringify([row.projectId, row.id, row.updatedAt]);
  const cached = clients.get(key);
  if (cached) return cached;
  const opening = frequentClientFor(ctx, row, "gateway", modelOutbound());
  clients.set(key, opening);
  opening.catch(() => clients.delete(key));
  return opening;
}

async function read({ db, projectId }: Ctx): Promise<readonly CallableModel[]> {
  const rows = await db
    .select({ ...getTableColumns(connections), wrapped: ringKeys.wrapped })
    .from(connections)
    .leftJoin(ringKeys, eq(ringKeys.id, connections.secretRingKey))
    .where(and(eq(connections.projectId, projectId), eq(connections.kind, "model")))
    .orderBy(asc(connections.createdAt), asc(connections.id));
  return rows.map((row) => {
    const { dialect, defaultModel } = SETTINGS.model.parse({ ...DEFAULT_SETTINGS.model, ...row.settings });
    return { id: row.id, name: row.name, baseUrl: row.baseUrl, dialect, defaultModel, open: (ctx) => open(ctx, row) };
  });
}

/** Returns the project's model connections, oldest first, at most a few seconds old. */
export const callableModels: (ctx: Ctx) => Promise<readonly CallableModel[]> = readAhead(read);
