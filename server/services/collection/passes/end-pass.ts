import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { LockedDataset } from "@/server/services/datasets";
import { closeVersion } from "@/server/services/datasets";
import { type PassRow, updatePass } from "./passes";
import { publishSome } from "./publish-candidates";

type Ended = { status: "completed" } | { status: "cancelled" | "failed"; error: string };

/** Ends a pass of a locked Dataset, and closes the version that it may have opened. */
export async function endPass(tx: Ctx, dataset: LockedDataset, { id }: Pick<PassRow, "id">, ended: Ended) {
  await closeVersion(tx, dataset, id);
  await updatePass(tx, id, { ...ended, cursor: null, finishedAt: NOW });
}

/**
 * Continues to finish a pass that has read everything: writes its candidates into the Dataset if they need no review. `wait`:
 * something else is writing to the Dataset, or to the conversations of the remaining candidates.
 */
export async function finishSome(
  tx: Ctx,
  dataset: LockedDataset,
  pass: PassRow,
  { review }: { review: boolean },
): Promise<"more" | "done" | "wait"> {
  try {
    const turn = review ? "done" : await publishSome(tx, dataset, pass.id);
    if (turn !== "done") return turn;
  } catch (error) {
    // Thrown before anything was written.
    if (error instanceof ServiceError && error.code === "conflict") return "wait";
    throw error;
  }
  await endPass(tx, dataset, pass, { status: "completed" });
  return "done";
}
