import type { ExportRow } from "./export-rows";

/**
 * What the trainer does not know about a published model. The trainer itself writes the card: base model, method, data,
 * metrics.
 */
export type ModelCard = {
  title: string;
  license: string | null;
  tags: string[];
  facts: Record<string, string | number>;
};

const COMPARED = "Its answers were compared with those of the checkpoint that it was built from, and passed.";
const FORCED = "It was published without a passing comparison with the checkpoint that it was built from.";

function parityOf({ isForced, certificateId }: ExportRow): { Parity?: string } {
  if (isForced) return { Parity: FORCED };
  return certificateId === null ? {} : { Parity: COMPARED };
}

type Trained = { license: string | null; method: string; rows: number };

/**
 * Returns the card of an export; `trained` for a checkpoint. It contains no names given by users, and is the same whenever it
 * is built, because the trainer refuses a different request under a known id.
 */
export const modelCard = (row: ExportRow, trained: Trained | null): ModelCard => ({
  title: row.repoId.split("/").at(-1) ?? row.repoId,
  license: trained?.license ?? null,
  tags: ["whetstone", ...(trained ? [trained.method] : []), ...(row.format === "gguf" ? ["gguf"] : [])],
  facts: { ...(trained ? { "Training rows": trained.rows } : {}), ...parityOf(row) },
});
