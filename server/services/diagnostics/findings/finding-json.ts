import type { findings } from "@/db/schema";
import type { Finding } from "../schemas";

/** `repairHandoffRef` is of the earlier interface: null until a repair is handed to a tracker. */
export const findingJson = (row: typeof findings.$inferSelect): Finding => ({
  ...row,
  affectedCost: row.affectedCost === null ? null : Number(row.affectedCost),
  costComplete: row.unpricedCallCount === 0,
  repairHandoffRef: null,
});
