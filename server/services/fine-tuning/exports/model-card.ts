import type { checkpoints, trainingJobs, trainingManifests } from "@/db/schema";
import type { ExportRow } from "./export-rows";

type Checkpoint = typeof checkpoints.$inferSelect;
type Job = typeof trainingJobs.$inferSelect;
type Manifest = Pick<typeof trainingManifests.$inferSelect, "rows" | "sha256">;
type Trained = { checkpoint: Checkpoint; job: Job; manifest: Manifest; license: string | null; isPath: boolean };
type Fact = string | number | boolean | null | Record<string, number | null>;

/** What the trainer writes the model's card from. */
export type ModelCard = { title: string; license: string | null; tags: string[]; facts: Record<string, Fact> };

const PATH = /^[./~\\]|^[A-Za-z]:|\\|\/.*\//;

/** A path on the trainer's machine is nobody else's business: of it the last name is published. */
const publicName = (modelId: string, isPath: boolean) =>
  isPath || PATH.test(modelId) ? (modelId.split(/[/\\]/).filter(Boolean).at(-1) ?? "model") : modelId;

const titleOf = (repoId: string) => repoId.split("/").at(-1) ?? repoId;

/** `passed`: its answers were compared; `forced`: published without; `none`: there is nothing to compare. */
const parityOf = ({ isForced, certificateId }: ExportRow) =>
  isForced ? "forced" : certificateId === null ? "none" : "passed";

/**
 * Returns the card of a checkpoint: what it was trained from and how, and nothing that people here named. It is the same
 * whenever it is made, because the trainer refuses another request under a known id.
 */
export function checkpointCard(row: ExportRow, { checkpoint, job, manifest, license, isPath }: Trained): ModelCard {
  const hadEnded = job.finishedAt !== null && job.finishedAt <= row.createdAt;
  return {
    title: titleOf(row.repoId),
    license,
    tags: [
      "whetstone",
      job.method,
      ...(job.adapter === "full" ? [] : [job.adapter]),
      ...(row.format === "gguf" ? ["gguf"] : []),
    ],
    facts: {
      base_model: publicName(checkpoint.baseModel.id, isPath),
      base_model_revision: checkpoint.baseModel.revision,
      method: job.method,
      adapter: job.adapter,
      training_rows: manifest.rows,
      manifest_sha256: manifest.sha256,
      step: checkpoint.stepNumber,
      epoch: checkpoint.epoch,
      checkpoint_sha256: checkpoint.contentSha256,
      metrics: hadEnded ? checkpoint.metrics : {},
      format: row.format,
      quantization: row.quantization,
      parity: parityOf(row),
    },
  };
}

/** Returns the card of a public model that was converted. */
export const hubModelCard = (row: ExportRow, { id, revision }: NonNullable<ExportRow["hubModel"]>): ModelCard => ({
  title: titleOf(row.repoId),
  license: null,
  tags: ["whetstone", ...(row.format === "gguf" ? ["gguf"] : [])],
  facts: { base_model: id, base_model_revision: revision, format: row.format, quantization: row.quantization },
});
