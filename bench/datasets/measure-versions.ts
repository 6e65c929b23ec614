import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import type { Actor } from "@/server/platform/context";
import { batchExamples, getDataset, listExamples, restoreVersion } from "@/server/services/datasets";
import { bound } from "../lib/machine";
import { PROJECTS } from "../scale/fill";
import { openWorld } from "../scale/world";
import { filledDatabase } from "./database";
import { fillExamples } from "./fill-examples";

const DATASET = { projectId: PROJECTS.big, datasetId: "ds_versions" };
const VERSIONS = 100;
const EDITED_EACH = 100;
/** A changed row may cost as much as a new one, doubled for what updates leave behind in pages and indexes. */
const BYTES_RATIO = 2;
const RESTORE_SECONDS = 60;
const BATCH = 1_000;

const editor = (): Actor => ({
  kind: "apiKey",
  keyId: randomUUID(),
  capabilities: ["models:manage", "workspace:read"],
});

async function sizeOf(sql: postgres.Sql) {
  await sql`vacuum analyze example_revisions`;
  const [row] = await sql<{ rows: number; bytes: number }[]>`
    select (select count(*)::int from example_revisions) as rows, pg_total_relation_size('example_revisions')::float8 as bytes`;
  return row!;
}

/** Edits a Dataset a hundred times, and restores versions that differ in a few and in all Examples. */
export async function measureVersions(folder: string, examples: number, progress: (line: string) => void) {
  const database = await filledDatabase(folder, async (_, { sql, services }) => {
    await sql`insert into projects (id, name) values (${PROJECTS.big}, 'Datasets')`;
    await fillExamples(sql, services, [{ ...DATASET, examples }], progress);
  });
  const world = await openWorld(database.url);
  const { sql, big } = world;
  const { datasetId } = DATASET;
  const ids = await world.values(
    `select example_id from example_revisions where dataset_id = '${datasetId}' and to_version is null order by ordinal`,
  );
  const restore = async (version: number) => {
    const begun = performance.now();
    await restoreVersion(big, { datasetId, version });
    return (performance.now() - begun) / 1000;
  };
  try {
    const one = await sizeOf(sql);
    const { dataset } = await getDataset(big, { datasetId });
    for (let nth = dataset.version; nth < VERSIONS; nth++) {
      const some = ids.slice((nth * EDITED_EACH) % (examples / 2)).slice(0, EDITED_EACH);
      const items = some.map((exampleId) => ({ action: "update" as const, exampleId, tags: [`edit ${nth}`] }));
      await batchExamples({ ...big, actor: editor() }, { datasetId, items });
    }
    const hundred = await sizeOf(sql);
    const changed = (VERSIONS - dataset.version) * EDITED_EACH;
    const size = examples.toLocaleString("en");
    bound(
      `${VERSIONS} versions of ${size} Examples are the rows that changed`,
      hundred.rows - one.rows === changed,
      `${hundred.rows - one.rows} more rows, ${changed} changed`,
    );
    const share = (hundred.bytes - one.bytes) / one.bytes / (changed / one.rows);
    bound(
      `and at most ${BYTES_RATIO} times the bytes of as many new ones`,
      share <= BYTES_RATIO,
      `${(one.bytes / 1e6).toFixed(0)} to ${(hundred.bytes / 1e6).toFixed(0)} MB, ${share.toFixed(2)} times`,
    );
    const few = await restore(dataset.version);
    bound(
      `restore of a version in which ${changed} differ within ${RESTORE_SECONDS} s`,
      few <= RESTORE_SECONDS,
      `${few.toFixed(1)} s`,
    );

    const last = { ...big, actor: editor() };
    for (let from = 0; from < ids.length; from += BATCH) {
      const items = ids.slice(from, from + BATCH).map((exampleId) => ({ action: "delete" as const, exampleId }));
      await batchExamples(last, { datasetId, items });
    }
    progress("every Example deleted");
    const all = await restore(dataset.version);
    const { examples: restored } = await listExamples(big, { datasetId, limit: 1 });
    const { dataset: after } = await getDataset(big, { datasetId });
    bound(
      `restore of all ${size} Examples within ${RESTORE_SECONDS} s`,
      all <= RESTORE_SECONDS && after.exampleCount === examples && restored.length === 1,
      `${all.toFixed(1)} s, ${after.exampleCount} Examples`,
    );
  } finally {
    await world.close();
    await database.stop();
  }
}
