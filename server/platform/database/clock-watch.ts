/** More than clocks are corrected by while they run, and than two reads of one clock differ by. */
const JUMP_MS = 2_000;

/** Compares the database's clock with this process's monotonic one. */
export type ClockWatch = {
  /**
   * Takes a time that the database returned for a query sent at `asked`. Returns whether its clock has run evenly for as long as
   * a lease: after a jump forwards, all leases seem to have expired until their holders renew them.
   */
  isSteady(databaseMs: number, askedAt: number): boolean;
};

export function createClockWatch(leaseMs: number, monotonic = () => performance.now()): ClockWatch {
  let last: { databaseMs: number; askedAt: number; answered: number } | undefined;
  let jumpedAt = Number.NEGATIVE_INFINITY;
  return {
    isSteady(databaseMs, askedAt) {
      const answered = monotonic();
      if (last) {
        const passed = databaseMs - last.databaseMs;
        const [least, most] = [askedAt - last.answered, answered - last.askedAt];
        if (passed < least - JUMP_MS || passed > most + JUMP_MS) jumpedAt = answered;
      }
      last = { databaseMs, askedAt, answered };
      return answered - jumpedAt > leaseMs;
    },
  };
}
