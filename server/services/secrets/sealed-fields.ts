import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { connections } from "@/db/schema";

/** A field whose secrets the key ring encrypts. Associated data: its name with the row's project and id. */
export type SealedField = {
  name: string;
  table: PgTable;
  projectId: PgColumn;
  id: PgColumn;
  dataKey: PgColumn;
  ringKey: PgColumn;
};

/** All fields under the key ring; a rotation rewraps exactly these. */
export const SEALED_FIELDS: readonly SealedField[] = [
  {
    name: "connections.secret",
    table: connections,
    projectId: connections.projectId,
    id: connections.id,
    dataKey: connections.secretDataKey,
    ringKey: connections.secretRingKey,
  },
  {
    name: "connections.webhookSecret",
    table: connections,
    projectId: connections.projectId,
    id: connections.id,
    dataKey: connections.webhookSecretDataKey,
    ringKey: connections.webhookSecretRingKey,
  },
];
