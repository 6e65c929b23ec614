import type { findings } from "@/db/schema";
import type { Finding } from "../schemas";

/** Converts a row to its JSON form. `repairHandoffRef` is `null` until a repair is handed off to a tracker. */
export const findingJson = (row: typeof findings.$inferSelect): Finding => ({
  ...row,
  affectedCost: row.affectedCost === null ? null : Number(row.affectedCost),
  costComplete: row.unpricedCallCount === 0,
  repairHandoffRef: null,
});
