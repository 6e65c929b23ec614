import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import { isOneOf, rowsOf } from "@/db/rows";
import {
  checkpoints,
  deployments,
  findings,
  modelExports,
  trainingArtifacts,
  trainingJobs,
  trainingManifests,
} from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { isExportOf, isOfRoot, REVISION, type Root } from "./resolve-root";
import { NODES_OF_A_KIND_MAX } from "./schemas";

/** One more than is shown, to find out whether there are more. */
const FETCH = NODES_OF_A_KIND_MAX + 1;

/** Returns a function that limits rows to those shown, and records whether any were left out. */
export function createCut() {
  const cut = { truncated: false, shown: <Row>(rows: readonly Row[]) => rows.slice(0, NODES_OF_A_KIND_MAX) };
  return {
    get truncated() {
      return cut.truncated;
    },
    shown<Row>(rows: readonly Row[]): Row[] {
      if (rows.length > NODES_OF_A_KIND_MAX) cut.truncated = true;
      return cut.shown(rows);
    },
  };
}
type Cut = ReturnType<typeof createCut>;

/** Returns everything derived from a root, and what fed it, with one query per kind. */
export async function readLineage(ctx: Ctx, root: Root, cut: Cut) {
  const { db, projectId } = ctx;
  const jobs = cut.shown(
    await db
      .select({ ...getTableColumns(trainingJobs), revision: REVISION })
      .from(trainingJobs)
      .where(isOfRoot(projectId, root))
      .orderBy(desc(trainingJobs.createdAt), desc(trainingJobs.id))
      .limit(FETCH),
  );
  const jobIds = jobs.map(({ id }) => id);
  const hashes = jobs.flatMap((job) => [job.manifestSha256, job.validationManifestSha256 ?? []].flat());
  const saved = cut.shown(
    await db
      .select()
      .from(checkpoints)
      .where(and(eq(checkpoints.projectId, projectId), isOneOf(checkpoints.jobId, jobIds)))
      .orderBy(desc(checkpoints.createdAt), desc(checkpoints.id))
      .limit(FETCH),
  );
  const savedIds = saved.map(({ id }) => id);
  const [artifacts, served, exports, manifests] = await Promise.all([
    db
      .select()
      .from(trainingArtifacts)
      .where(and(eq(trainingArtifacts.projectId, projectId), isOneOf(trainingArtifacts.checkpointId, savedIds)))
      .orderBy(desc(trainingArtifacts.createdAt), desc(trainingArtifacts.id))
      .limit(FETCH),
    db
      .select()
      .from(deployments)
      .where(
        and(
          eq(deployments.projectId, projectId),
          isOneOf(deployments.checkpointId, savedIds),
          eq(deployments.purpose, "service"),
        ),
      )
      .orderBy(desc(deployments.createdAt), desc(deployments.id))
      .limit(FETCH),
    db
      .select()
      .from(modelExports)
      .where(isExportOf(projectId, root, isOneOf(modelExports.checkpointId, savedIds)))
      .orderBy(desc(modelExports.createdAt), desc(modelExports.id))
      .limit(FETCH),
    db
      .select()
      .from(trainingManifests)
      .where(and(eq(trainingManifests.projectId, projectId), isOneOf(trainingManifests.sha256, hashes)))
      .orderBy(desc(trainingManifests.createdAt), desc(trainingManifests.sha256))
      .limit(FETCH),
  ]);
  const frozen = cut.shown(manifests);
  const fed = await readFeeds(ctx, frozen);
  return {
    jobs,
    checkpoints: saved,
    artifacts: cut.shown(artifacts),
    deployments: cut.shown(served),
    exports: cut.shown(exports),
    manifests: frozen,
    datasets: await datasetNames(ctx, frozen),
    feeds: fed.filter((feed) => shownFindings(fed, cut).has(feed.findingId)),
  };
}
export type LineageRows = Awaited<ReturnType<typeof readLineage>>;

type Manifest = typeof trainingManifests.$inferSelect;
type Feed = { datasetId: string; version: number; findingId: string; name: string | null; at: number | null };

const shownFindings = (feeds: readonly Feed[], cut: Cut) =>
  new Set(cut.shown([...new Set(feeds.map(({ findingId }) => findingId))]));

/**
 * Returns the Findings that Examples of these versions were made from. Which Examples a version has is determined by the
 * distinct version ranges, which are few: a Dataset's rows are read once, however many of its versions were trained on.
 */
async function readFeeds({ db, projectId }: Ctx, manifests: readonly Manifest[]): Promise<Feed[]> {
  const versions = manifests.map(({ datasetId, datasetVersion }) => ({
    dataset_id: datasetId,
    version: datasetVersion,
  }));
  const datasetIds = [...new Set(manifests.map(({ datasetId }) => datasetId))];
  if (datasetIds.length === 0) return [];
  const rows = await db.execute<{
    dataset_id: string;
    version: number;
    finding_id: string;
    name: string;
    at: string;
  }>(sql`
    with spans as materialized (
      select distinct dataset_id, finding_id, from_version, to_version from example_revisions
      where project_id = ${projectId} and dataset_id in (select distinct t.dataset_id from ${rowsOf(versions, "dataset_id text, version int")})
        and finding_id is not null and split in ('train', 'validation')
    )
    select distinct s.dataset_id, v.version, s.finding_id, f.title as name, f.last_detected_at as at
    from spans s
    join (select distinct t.dataset_id, t.version from ${rowsOf(versions, "dataset_id text, version int")}) v
      on v.dataset_id = s.dataset_id and s.from_version <= v.version and coalesce(s.to_version > v.version, true)
    left join ${findings} f on f.project_id = ${projectId} and f.id = s.finding_id
    order by 5 desc nulls last, 3, 1, 2`);
  return rows.map(({ dataset_id, version, finding_id, name, at }) => ({
    datasetId: dataset_id,
    version: Number(version),
    findingId: finding_id,
    name,
    at: at === null ? null : Number(at),
  }));
}

/** Returns the names of the Datasets that still exist. */
async function datasetNames({ db, projectId }: Ctx, manifests: readonly Manifest[]): Promise<Map<string, string>> {
  const ids = [...new Set(manifests.map(({ datasetId }) => datasetId))];
  const rows = await db.execute<{ id: string; name: string }>(sql`
    select id, name from datasets where project_id = ${projectId} and id = any(${sql.param(ids)}::text[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
