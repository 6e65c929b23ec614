import { desc, sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, projectId, unixMs } from "./columns";
import type { GatewayTarget } from "./json";
import { ofProject } from "./projects";

/** A name that calls of models may use, and the models that answer them, in order. */
export const gatewayAliases = pgTable(
  "gateway_aliases",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    /** Connections and deployments without foreign keys: one that was deleted is skipped. */
    targets: jsonb("targets").$type<GatewayTarget[]>().notNull(),
    /** How often each target is asked again before the next. */
    retries: integer("retries").notNull(),
    /** Limit for the first content of a streamed answer of each attempt. Null: none. */
    firstTokenSeconds: integer("first_token_seconds"),
    /** Limit for the whole call. Null: none. */
    totalSeconds: integer("total_seconds"),
    /** The limit on an answer for calls that set none. Null: as the endpoint has it. */
    maxOutputTokens: integer("max_output_tokens"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("gateway_aliases_project", t),
    uniqueIndex("gateway_aliases_name").on(t.projectId, t.name),
    index("gateway_aliases_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("gateway_aliases_name_shape", sql`${t.name} ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$'`),
    check(
      "gateway_aliases_have_targets",
      sql`jsonb_typeof(${t.targets}) = 'array' and jsonb_array_length(${t.targets}) between 1 and 8`,
    ),
    check("gateway_aliases_retries", sql`${t.retries} between 0 and 3`),
    check(
      "gateway_aliases_limits",
      sql`${t.firstTokenSeconds} between 1 and 600 and ${t.totalSeconds} between 1 and 1800 and ${t.maxOutputTokens} > 0`,
    ),
  ],
);
