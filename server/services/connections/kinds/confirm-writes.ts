import type { Call, Caller } from "./kind";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const isWrite = ({ method = "GET", repeatable = READS.has(method) }: Pick<Call, "method" | "repeatable">) =>
  !repeatable;

/** Returns a caller that awaits `confirm` before each call that may change something, and does not make it if that rejects. */
export function confirmWrites(caller: Caller, confirm: (() => Promise<void>) | undefined): Caller {
  if (confirm === undefined) return caller;
  return {
    ...caller,
    request: async (call) => {
      if (isWrite(call)) await confirm();
      return caller.request(call);
    },
    json: async (call, reply) => {
      if (isWrite(call)) await confirm();
      return caller.json(call, reply);
    },
    fetch: async (input, init, limits) => {
      const method = init?.method ?? (input instanceof Request ? input.method : "GET");
      if (!READS.has(method.toUpperCase())) await confirm();
      return caller.fetch(input, init, limits);
    },
  };
}
