import { desc, sql } from "drizzle-orm";
import { check, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { NOW } from "../now";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { PROMPT_KINDS } from "./enumerations";
import type { PromptContent } from "./json";
import { owningProjectId, withinProject } from "./projects";

/** A managed prompt. Its texts are its versions. */
export const prompts = pgTable(
  "prompts",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: PROMPT_KINDS }).notNull(),
    /** The number of the newest version. */
    latestVersion: integer("latest_version").notNull(),
    createdAt: createdAt(),
    /** When a version was added or a label moved. */
    updatedAt: unixMs("updated_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    uniqueIndex("prompts_name").on(t.projectId, t.name),
    index("prompts_changed").on(t.projectId, desc(t.updatedAt), desc(t.id)),
    check("prompts_name_shape", sql`${t.name} ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'`),
    check("prompts_latest_version", sql`${t.latestVersion} > 0`),
  ],
);

/** What a prompt says, from 1. A version never changes. */
export const promptVersions = pgTable(
  "prompt_versions",
  {
    projectId: projectId(),
    promptId: text("prompt_id").notNull(),
    version: integer("version").notNull(),
    /** Text, or messages of a chat. */
    content: jsonb("content").$type<PromptContent>().notNull(),
    /** Names of the variables in the content, in order of appearance. */
    variables: text("variables").array().notNull(),
    /** What changed. */
    message: text("message"),
    ...actor(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.promptId, t.version] }),
    withinProject("prompt_versions_prompt", t, t.promptId, prompts).onDelete("cascade"),
    check("prompt_versions_version", sql`${t.version} > 0`),
    check("prompt_versions_content", sql`jsonb_typeof(${t.content}) in ('string', 'array')`),
  ],
);

/** The version that a label of a prompt points to. `latest` is computed instead. */
export const promptLabels = pgTable(
  "prompt_labels",
  {
    projectId: projectId(),
    promptId: text("prompt_id").notNull(),
    label: text("label").notNull(),
    version: integer("version").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.promptId, t.label] }),
    foreignKey({
      name: "prompt_labels_version",
      columns: [t.projectId, t.promptId, t.version],
      foreignColumns: [promptVersions.projectId, promptVersions.promptId, promptVersions.version],
    }).onDelete("cascade"),
    index("prompt_labels_of_version").on(t.projectId, t.promptId, t.version),
    check("prompt_labels_shape", sql`${t.label} ~ '^[a-z0-9][a-z0-9._-]{0,39}$' and ${t.label} <> 'latest'`),
  ],
);

/** When labels moved, and who moved them. */
export const promptLabelEvents = pgTable(
  "prompt_label_events",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    promptId: text("prompt_id").notNull(),
    label: text("label").notNull(),
    /** Null: the label was new. */
    fromVersion: integer("from_version"),
    /** Null: the label was removed. */
    toVersion: integer("to_version"),
    ...actor(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("prompt_label_events_prompt", t, t.promptId, prompts).onDelete("cascade"),
    index("prompt_label_events_newest").on(t.projectId, t.promptId, desc(t.createdAt), desc(t.id)),
    check("prompt_label_events_moved", sql`${t.fromVersion} is distinct from ${t.toVersion}`),
  ],
);
