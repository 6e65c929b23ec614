import { and, eq, isNull } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { exampleRevisions } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { LockedDataset } from "../examples/lock-dataset";
import type { Change, Draft, Outcome } from "../examples/types";
import { writeExamples } from "../examples/write-examples";
import type { CheckedRow } from "./check-row";
import type { ImportRow } from "./read-imports";

/** Returns which of these Examples exist in the Dataset. */
async function presentOf({ db, projectId }: Ctx, datasetId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: exampleRevisions.exampleId })
    .from(exampleRevisions)
    .where(
      and(
        eq(exampleRevisions.projectId, projectId),
        eq(exampleRevisions.datasetId, datasetId),
        isOneOf(exampleRevisions.exampleId, ids),
        isNull(exampleRevisions.toVersion),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

type Counts = Pick<ImportRow, "created" | "updated" | "duplicate">;

function countOutcomes(row: Counts, outcomes: readonly Outcome[], left: number): Counts {
  const count = (status: Outcome["status"]) => outcomes.filter((outcome) => outcome.status === status).length;
  return {
    created: row.created + count("created"),
    updated: row.updated + count("updated"),
    duplicate: row.duplicate + count("duplicate") + count("unchanged") + left,
  };
}

/**
 * Writes the usable rows of a chunk into the import's version, and returns the updated counts. A row that names an Example of
 * the Dataset, as an exported and edited file does, refers to that Example. A row that contains an Example of another Dataset
 * is linked to the same conversation.
 */
export async function storeRows(
  tx: Ctx,
  dataset: LockedDataset,
  row: ImportRow,
  rows: readonly CheckedRow[],
  linkOf: (row: CheckedRow) => Draft["link"],
) {
  const ids = row.duplicates === "keep" ? [] : rows.flatMap(({ exampleId }) => exampleId ?? []);
  const present = await presentOf(tx, row.datasetId, ids);
  let left = 0;
  const changes = rows.flatMap((one): Change[] => {
    const { draft, exampleId } = one;
    if (!draft) return [];
    if (exampleId === undefined || !present.has(exampleId)) {
      const link = linkOf(one);
      return [{ kind: "create", draft: link ? { ...draft, link } : draft, onDuplicate: row.duplicates }];
    }
    if (row.duplicates === "update") return [{ kind: "update", exampleId, patch: draft }];
    left++;
    return [];
  });
  const version = { kind: "import" as const, causeId: row.id };
  const outcomes = changes.length === 0 ? [] : await writeExamples(tx, dataset, changes, version);
  return countOutcomes(row, outcomes, left);
}
