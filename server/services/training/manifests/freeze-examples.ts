import { and, eq } from "drizzle-orm";
import { trainingManifests } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import {
  closeForTraining,
  countTrainingExamples,
  isUnchanged,
  readTrainingRows,
  requireDataset,
  type TrainingExamples,
  type TrainingMethod,
} from "@/server/services/datasets";
import { storeFile } from "@/server/services/files";
import { requireTrainable, rowsOf } from "./require-trainable";

export type Manifest = typeof trainingManifests.$inferSelect;
type Split = Manifest["split"];
type Input = { datasetId: string; datasetVersion?: number | undefined; method: TrainingMethod };

/** What a job trains on. */
export type Frozen = {
  datasetName: string;
  datasetVersion: number;
  train: Manifest;
  /** `null` if the Dataset has no such Examples. */
  validation: Manifest | null;
};

/** So many erasures in a row, each during a freeze, would be a coincidence. */
const TRIES = 5;
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Freezes a version's Examples for a method: closes the version, and stores the rows of its training and validation splits as
 * content-addressed files, so that freezing the same Examples again stores nothing. Throws 422 for Examples that the method
 * cannot train on.
 */
export async function freezeExamples(ctx: Ctx, { datasetId, datasetVersion, method }: Input): Promise<Frozen> {
  const { version, name } = await closeForTraining(ctx, datasetId, datasetVersion);
  const freeze = async (split: Split) => {
    for (let n = 0; n < TRIES; n += 1) {
      const examples = await countTrainingExamples(ctx, { datasetId, version, split });
      requireTrainable(examples, { split, method });
      if (rowsOf(examples, method) === 0) return null;
      const manifest = await store(ctx, examples, { datasetId, version, split, method });
      if (manifest) return manifest;
    }
    throw new ServiceError("conflict", "Examples of this Dataset are being deleted. Retry when that has ended.");
  };
  const train = (await freeze("train")) as Manifest;
  return { datasetName: name, datasetVersion: version, train, validation: await freeze("validation") };
}

type Selection = { datasetId: string; version: number; split: Split; method: TrainingMethod };

/** Stores one split; returns `null` if any of its Examples were erased in the meantime. */
function store(ctx: Ctx, examples: TrainingExamples, { datasetId, version, split, method }: Selection) {
  const rows = rowsOf(examples, method);
  const chunks = manifestBytes(ctx, examples, { datasetId, split, method });
  const file = {
    kind: "manifest" as const,
    name: `${datasetId}-${split}-${method}.jsonl`,
    mediaType: "application/jsonl",
    chunks,
  };
  return storeFile(ctx, file, ({ sha256, bytes, fileId }, finish) =>
    inTransaction(ctx, async (tx) => {
      // An erasure locks the Dataset too: it either finds this manifest or has already removed its rows.
      await requireDataset(tx, datasetId);
      if (!(await isUnchanged(tx, examples))) return null;
      const key = and(eq(trainingManifests.projectId, ctx.projectId), eq(trainingManifests.sha256, sha256));
      const [known] = await tx.db.select().from(trainingManifests).where(key);
      if (known) return known;
      const created = { sha256, datasetId, datasetVersion: version, split, method, rows, bytes, fileId };
      const [manifest] = await tx.db
        .insert(trainingManifests)
        .values({ projectId: ctx.projectId, ...created })
        .returning();
      await finish(tx);
      return manifest as Manifest;
    }),
  );
}

/**
 * Yields a manifest's bytes: a line that describes the selection, then a line per row, all as canonical JSON (RFC 8785). The
 * first line does not contain the version, so that a version that changed only other Examples gives the same manifest.
 */
async function* manifestBytes(
  ctx: Ctx,
  examples: TrainingExamples,
  { datasetId, split, method }: Omit<Selection, "version">,
): AsyncGenerator<Uint8Array> {
  const selection = { dataset_id: datasetId, split };
  let text = `${canonicalJson({ manifest_version: 1, schema: "chat.v1", method, selection, rows: rowsOf(examples, method) })}\n`;
  for await (const row of readTrainingRows(ctx, examples, method)) {
    text += `${canonicalJson(row)}\n`;
    if (text.length > CHUNK_CHARACTERS) {
      yield Buffer.from(text);
      text = "";
    }
  }
  if (text !== "") yield Buffer.from(text);
}
