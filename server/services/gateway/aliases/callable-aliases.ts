import { asc, eq } from "drizzle-orm";
import { gatewayAliases } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { readAhead } from "@/server/platform/database/read-ahead";
import type { AliasRow } from "./alias-rows";

async function read({ db, projectId }: Ctx): Promise<ReadonlyMap<string, AliasRow>> {
  const rows = await db
    .select()
    .from(gatewayAliases)
    .where(eq(gatewayAliases.projectId, projectId))
    .orderBy(asc(gatewayAliases.name));
  return new Map(rows.map((row) => [row.name, row]));
}

/** Returns the project's aliases by name, at most a few seconds old. */
export const callableAliases = readAhead(read);
