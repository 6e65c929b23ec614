import { desc, sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { actor, createdAt, projectId } from "./columns";
import { ofProject } from "./projects";

/** One version of a change to what a model is sent: another model, system prompt, parameters or descriptions of tools. */
export const variants = pgTable(
  "variants",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    /** From 1 within the name. A version never changes. */
    version: integer("version").notNull(),
    /** Without a foreign key: what was proven outlives the connection that answered. */
    connectionId: text("connection_id"),
    /** What answers instead of a connection. Without a foreign key, too. */
    deploymentId: text("deployment_id"),
    /** Or a base model that a trainer serves while it is asked: id, revision and source. */
    baseModel: jsonb("base_model").$type<{ id: string; revision: string | null; source: "hub" | "local" }>(),
    /** The model's name there; the others have their own. */
    model: text("model").notNull(),
    /** The recorded system prompt that `systemPrompt` was written from; null: it replaces whatever is recorded. */
    basedOn: text("based_on"),
    /** Null: as recorded. */
    systemPrompt: text("system_prompt"),
    parameters: jsonb("parameters").$type<Record<string, unknown>>().notNull(),
    /** New descriptions of tools, by name. */
    toolDescriptions: jsonb("tool_descriptions").$type<Record<string, string>>().notNull(),
    /** What it is meant to change. */
    note: text("note").notNull(),
    /** The Finding that it was written for. Without a foreign key: a variant outlives it. */
    findingId: text("finding_id"),
    /** The conversations that it was written with: a proof leaves them out. */
    seenConversationIds: text("seen_conversation_ids").array().notNull(),
    ...actor(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("variants_project", t),
    uniqueIndex("variants_version").on(t.projectId, sql`lower(name)`, desc(t.version)),
    index("variants_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("variants_of_finding").on(t.projectId, t.findingId).where(sql`finding_id is not null`),
    check("variants_one_endpoint", sql`num_nonnulls(${t.connectionId}, ${t.deploymentId}, ${t.baseModel}) = 1`),
    check("variants_version_counts", sql`${t.version} > 0`),
    check("variants_based_on", sql`${t.basedOn} is null or ${t.systemPrompt} is not null`),
  ],
);
