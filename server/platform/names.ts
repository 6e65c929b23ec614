import { type SQL, sql } from "drizzle-orm";
import type { Capability } from "./capabilities";
import { type Ctx, hasCapability } from "./context";

/** Where the names of one kind of thing are stored, and the capabilities that allow reading them (any one suffices). */
type Named = {
  needs: readonly Capability[];
} & (
  | {
      table: string;
      name: string;
      /** After a deletion the row stays until its contents are gone. */
      staysDeleted?: true;
    }
  /** Selects `id` and `name` of the project's rows that exist. */
  | { select: (projectId: string, ids: SQL) => SQL }
);

/** The name is the training run's with the step, as on the checkpoint's page. */
const checkpointNames = (projectId: string, ids: SQL) => sql`
  select c.id, j.name || ', step ' || c.step_number as name
  from checkpoints c join training_jobs j on j.project_id = c.project_id and j.id = c.job_id
  where c.project_id = ${projectId} and c.id = any(${ids})`;

/**
 * The name is the user's last message, else the first message. Ids are looked up Dataset by Dataset, because every index of
 * Examples begins with the Dataset.
 */
const exampleNames = (projectId: string, ids: SQL) => sql`
  select wanted.id, asked.content as name
  from datasets d cross join unnest(${ids}) as wanted(id) cross join lateral (
    select payload #> '{input,messages}' as messages from example_revisions
    where project_id = d.project_id and dataset_id = d.id and example_id = wanted.id and to_version is null
    offset 0
  ) example left join lateral (
    select message ->> 'content' as content from jsonb_array_elements(messages) with ordinality as said(message, place)
    order by message ->> 'role' = 'user' desc, case message ->> 'role' when 'user' then -place else place end limit 1
  ) asked on true
  where d.project_id = ${projectId} and d.deleted_at is null`;

/** By the kind that audit targets and event payloads use: `datasetId` is the id of a "dataset". */
const NAMED: Readonly<Record<string, Named>> = {
  conversation: { table: "conversations", name: "preview", needs: ["diagnostics:read", "project:data:read"] },
  finding: { table: "findings", name: "title", needs: ["diagnostics:read"] },
  dataset: { table: "datasets", name: "name", needs: ["workspace:read"], staysDeleted: true },
  import: { table: "dataset_imports", name: "file_name", needs: ["project:data:read"] },
  knowledgeGoal: { table: "knowledge_goals", name: "title", needs: ["workspace:read"] },
  prompt: { table: "prompts", name: "name", needs: ["workspace:read"] },
  gatewayAlias: { table: "gateway_aliases", name: "name", needs: ["workspace:read"] },
  gatewayExperiment: { table: "gateway_experiments", name: "name", needs: ["workspace:read"] },
  file: { table: "files", name: "name", needs: ["project:data:read"] },
  job: { table: "training_jobs", name: "name", needs: ["workspace:read"] },
  tuningConfig: { table: "tuning_configs", name: "name", needs: ["workspace:read"] },
  baseModel: { table: "base_models", name: "name", needs: ["workspace:read"] },
  checkpoint: { select: checkpointNames, needs: ["workspace:read", "project:data:read"] },
  export: { table: "model_exports", name: "repo_id", needs: ["workspace:read", "project:data:read"] },
  example: { select: exampleNames, needs: ["workspace:read"] },
  workItem: { table: "work_items", name: "external_key", needs: ["diagnostics:read"] },
  deployment: { table: "deployments", name: "name", needs: ["workspace:read"] },
  connection: { table: "connections", name: "name", needs: ["connections:manage"] },
  alert: { table: "alerts", name: "name", needs: ["diagnostics:read"] },
  notificationRule: { table: "notification_rules", name: "name", needs: ["connections:manage"] },
  handoffRule: { table: "handoff_rules", name: "name", needs: ["connections:manage"] },
  invitation: { table: "invitations", name: "email", needs: ["project:admin"] },
};

const NAME_MAX = 200;

export type ThingRef = { type: string; id: string };

/** Returns the names of the project's things that exist, have a name, and may be read by the caller. */
export async function readNames(ctx: Ctx, refs: readonly ThingRef[]): Promise<(ref: ThingRef) => string | null> {
  const idsOf = new Map<string, Set<string>>();
  for (const { type, id } of refs) {
    if (!Object.hasOwn(NAMED, type) || !hasCapability(ctx, NAMED[type]!.needs)) continue;
    idsOf.set(type, (idsOf.get(type) ?? new Set()).add(id));
  }
  const parts = [...idsOf].map(([type, ids]): SQL => {
    const named = NAMED[type]!;
    const wanted = sql`${sql.param([...ids])}::text[]`;
    const found =
      "select" in named
        ? named.select(ctx.projectId, wanted)
        : sql`select id, ${sql.identifier(named.name)} as name from ${sql.identifier(named.table)}
            where project_id = ${ctx.projectId} and id = any(${wanted})
            ${named.staysDeleted ? sql`and deleted_at is null` : sql``}`;
    return sql`select ${type}::text as type, id, left(name, ${NAME_MAX}) as name from (${found}) found`;
  });
  if (parts.length === 0) return () => null;
  const rows = await ctx.db.execute<ThingRef & { name: string | null }>(sql.join(parts, sql` union all `));
  const keyOf = ({ type, id }: ThingRef) => `${type} ${id}`;
  const names = new Map([...rows].map((row) => [keyOf(row), row.name?.trim() || null]));
  return (ref) => names.get(keyOf(ref)) ?? null;
}
