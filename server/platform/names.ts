import { type SQL, sql } from "drizzle-orm";
import type { Capability } from "./capabilities";
import { type Ctx, hasCapability } from "./context";

/** Where the things of a kind have their name, and who may read it (any one of these). */
type Named = {
  table: string;
  name: string;
  needs: readonly Capability[];
  /** The row of a deleted one stays until its contents are gone. */
  staysDeleted?: true;
};

/** By the kind that audit targets and event payloads use: `datasetId` is the id of a "dataset". */
const NAMED: Readonly<Record<string, Named>> = {
  conversation: { table: "conversations", name: "preview", needs: ["diagnostics:read", "project:data:read"] },
  finding: { table: "findings", name: "title", needs: ["diagnostics:read"] },
  dataset: { table: "datasets", name: "name", needs: ["workspace:read"], staysDeleted: true },
  import: { table: "dataset_imports", name: "file_name", needs: ["project:data:read"] },
  knowledgeGoal: { table: "knowledge_goals", name: "title", needs: ["workspace:read"] },
  file: { table: "files", name: "name", needs: ["project:data:read"] },
  job: { table: "training_jobs", name: "name", needs: ["workspace:read"] },
  tuningConfig: { table: "tuning_configs", name: "name", needs: ["workspace:read"] },
  baseModel: { table: "base_models", name: "name", needs: ["workspace:read"] },
  deployment: { table: "deployments", name: "name", needs: ["workspace:read"] },
  connection: { table: "connections", name: "name", needs: ["connections:manage"] },
  notificationRule: { table: "notification_rules", name: "name", needs: ["connections:manage"] },
  handoffRule: { table: "handoff_rules", name: "name", needs: ["connections:manage"] },
  invitation: { table: "invitations", name: "email", needs: ["project:admin"] },
};

const NAME_MAX = 200;

export type ThingRef = { type: string; id: string };

/** Returns the names of those of the project's things that exist, have one, and that the caller may read. */
export async function readNames(ctx: Ctx, refs: readonly ThingRef[]): Promise<(ref: ThingRef) => string | null> {
  const idsOf = new Map<string, Set<string>>();
  for (const { type, id } of refs) {
    if (!Object.hasOwn(NAMED, type) || !hasCapability(ctx, NAMED[type]!.needs)) continue;
    idsOf.set(type, (idsOf.get(type) ?? new Set()).add(id));
  }
  const parts = [...idsOf].map(([type, ids]): SQL => {
    const { table, name, staysDeleted } = NAMED[type]!;
    return sql`select ${type}::text as type, id, left(${sql.identifier(name)}, ${NAME_MAX}) as name
      from ${sql.identifier(table)} where project_id = ${ctx.projectId} and id = any(${sql.param([...ids])}::text[])
      ${staysDeleted ? sql`and deleted_at is null` : sql``}`;
  });
  if (parts.length === 0) return () => null;
  const rows = await ctx.db.execute<ThingRef & { name: string | null }>(sql.join(parts, sql` union all `));
  const keyOf = ({ type, id }: ThingRef) => `${type} ${id}`;
  const names = new Map([...rows].map((row) => [keyOf(row), row.name?.trim() || null]));
  return (ref) => names.get(keyOf(ref)) ?? null;
}
