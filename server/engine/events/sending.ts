import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";

type Turn = { key: string; sent: Map<string, number> };

const turns = new AsyncLocalStorage<Turn>();

/** Runs one call of a function; `key` identifies the run and its progress. */
export const duringTurn = <T>(key: string, call: () => Promise<T>): Promise<T> =>
  turns.run({ key, sent: new Map() }, call);

/**
 * Returns a deterministic id for an event that a function sends without one, derived from the turn and the content, so that a
 * turn repeated after a crash sends the event once. `undefined` outside a turn.
 */
export function idFromTurn(event: { name: string; data: unknown }): string | undefined {
  const turn = turns.getStore();
  if (!turn) return undefined;
  const content = JSON.stringify([event.name, event.data]);
  const nth = (turn.sent.get(content) ?? 0) + 1;
  turn.sent.set(content, nth);
  return `evt_${createHash("sha256").update(`${turn.key}\n${content}\n${nth}`).digest("hex").slice(0, 32)}`;
}
