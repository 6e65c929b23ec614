import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { Dependent, Dependents } from "./schemas";

const ITEMS_MAX = 200;
const NAMED_MAX = 5;

/** What is to be deleted: a job with all its checkpoints, or one checkpoint. */
export type Subject = {
  jobId: string | null;
  checkpoints: readonly { id: string; bytes: number }[];
  /** Why it cannot be deleted whatever depends on it; `null` if it can. */
  obstacle: string | null;
};

const WORDS: Record<Dependent["kind"], string> = {
  deployment: "the deployment",
  export: "the export to",
  evaluation: "an evaluation of",
  certificate: "a certificate of",
  rollout: "the automatic deployment of",
  tuningConfig: "the tuning configuration",
  job: "the training job",
};

type Row = Omit<Dependent, "effect"> & { effect: Dependent["effect"]; all: number };

/** Returns what depends on a job or a checkpoint, and whether that prevents its deletion. */
export async function readDependents(ctx: Ctx, subject: Subject): Promise<Dependents> {
  const rows = await readRows(ctx, subject);
  return {
    blockedReason: subject.obstacle ?? reasonOf(rows),
    items: rows.map(({ all: _, ...item }) => item),
    count: rows[0]?.all ?? 0,
    checkpoints: subject.checkpoints.length,
    bytes: subject.checkpoints.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Throws a 409 that names what prevents the deletion. */
export async function requireDeletable(ctx: Ctx, subject: Subject): Promise<void> {
  const { blockedReason } = await readDependents(ctx, subject);
  if (blockedReason !== null) throw new ServiceError("conflict", blockedReason);
}

function reasonOf(rows: readonly Row[]): string | null {
  const blocking = rows.filter(({ effect }) => effect === "blocks");
  if (blocking.length === 0) return null;
  const named = blocking.slice(0, NAMED_MAX).map(({ kind, name }) => `${WORDS[kind]} “${name}”`);
  const more = blocking.length > NAMED_MAX ? `, and ${blocking.length - NAMED_MAX} more` : "";
  return `Its files are needed by ${named.join(", ")}${more}. Stop, cancel or delete ${blocking.length === 1 ? "it" : "them"} first.`;
}

/** One query for all kinds. What has ended needs no files, but a model that was trained from a checkpoint always does. */
function readRows({ db, projectId }: Ctx, { jobId, checkpoints }: Subject) {
  const ids = textArray(checkpoints.map(({ id }) => id));
  const isOfThem = (column: string) => sql`${sql.raw(column)} = any(${ids})`;
  const ended = (isOver: string, then: Dependent["effect"]) =>
    sql`case when ${sql.raw(isOver)} then ${sql.raw(`'${then}'`)} else 'blocks' end`;
  const mine = (alias: string) => sql`${sql.raw(alias)}.project_id = ${projectId}`;
  return db.execute<Row>(sql`
    with items as (
      select 'deployment' as kind, d.id, d.name, d.status, ${ended("d.ended_at is not null", "deleted")} as effect, d.created_at
      from deployments d where ${mine("d")} and ${isOfThem("d.checkpoint_id")}
      union all
      select 'export', e.id, e.repo_id, e.status, ${ended("e.finished_at is not null", "deleted")}, e.created_at
      from model_exports e where ${mine("e")} and ${isOfThem("e.checkpoint_id")}
      union all
      select 'evaluation', e.id, coalesce(f.title, d.name, e.kind), e.status,
        ${ended("e.finished_at is not null", "deleted")}, e.created_at
      from evaluations e
      left join findings f on f.project_id = e.project_id and f.id = e.finding_id
      left join datasets d on d.project_id = e.project_id and d.id = e.dataset_id
      where ${mine("e")} and ${isOfThem("e.checkpoint_id")}
      union all
      select 'evaluation', e.id, coalesce(f.title, d.name, e.kind), e.status,
        ${ended("e.finished_at is not null", "kept")}, e.created_at
      from evaluations e
      left join findings f on f.project_id = e.project_id and f.id = e.finding_id
      left join datasets d on d.project_id = e.project_id and d.id = e.dataset_id
      where ${mine("e")} and ${isOfThem("e.baseline_checkpoint_id")} and not ${isOfThem("e.checkpoint_id")}
      union all
      select 'certificate', c.id, 'step ' || k.step_number, c.status, ${ended("c.finished_at is not null", "deleted")}, c.created_at
      from parity_certificates c
      join checkpoints k on k.project_id = c.project_id and k.id = c.checkpoint_id
      where ${mine("c")} and ${isOfThem("c.checkpoint_id")}
      union all
      select 'rollout', r.id, t.name, coalesce(r.outcome, 'deciding'), ${ended("r.outcome is not null", "kept")}, r.created_at
      from rollout_decisions r
      join tuning_configs t on t.project_id = r.project_id and t.id = r.config_id
      where ${mine("r")} and (${isOfThem("r.checkpoint_id")} or r.job_id = ${jobId})
      union all
      select 'tuningConfig', t.id, t.name, null, 'blocks', t.created_at
      from tuning_configs t where ${mine("t")} and ${isOfThem("t.base_model ->> 'checkpointId'")}
      union all
      select 'job', j.id, j.name, j.status, 'blocks', j.created_at
      from training_jobs j
      where ${mine("j")} and ${isOfThem("j.parent_checkpoint_id")} and j.id is distinct from ${jobId}
    )
    select kind, id, name, status, effect, count(*) over ()::int as all from items
    order by effect, kind, created_at desc, id limit ${ITEMS_MAX}`);
}
