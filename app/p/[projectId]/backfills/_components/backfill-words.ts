import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";

export const isRunning = ({ scanStatus }: Backfill) =>
  scanStatus === "queued" || scanStatus === "scanning" || scanStatus === "processing";
export const canPause = (one: Backfill) => isRunning(one) && one.pausedAt === null;
export const canResume = (one: Backfill) =>
  (isRunning(one) && one.pausedAt !== null) || (one.scanStatus === "failed" && one.cancelledAt === null);

/** Returns how many conversations it will have read in the end, as far as is known. */
export const totalOf = ({ scanStatus, conversationsScanned, conversationsExpected }: Backfill) =>
  scanStatus === "queued" || scanStatus === "scanning"
    ? Math.max(conversationsExpected, conversationsScanned)
    : conversationsScanned;
export const doneOf = ({ counts: { completed, skipped, failed } }: Backfill) => completed + skipped + failed;
