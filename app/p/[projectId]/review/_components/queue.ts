type HasId = { id: string };

/** The candidates claimed by a reviewer (the one on screen and those prefetched), and the decisions that can be undone. */
export type Queue<Candidate extends HasId> = {
  current: Candidate | null;
  ahead: readonly Candidate[];
  /** Decided in this session, the latest last. */
  decided: readonly Decided<Candidate>[];
};
/** A skipped candidate may be shown again. */
export type Decided<Candidate> = { candidate: Candidate; skipped: boolean };

export const EMPTY: Queue<never> = { current: null, ahead: [], decided: [] };

/** Appends a claimed candidate. One that was decided while its claim was in flight is not shown again. */
export function claimed<Candidate extends HasId>(queue: Queue<Candidate>, candidate: Candidate): Queue<Candidate> {
  const isDecided = queue.decided.some((one) => !one.skipped && one.candidate.id === candidate.id);
  if (isDecided || heldIn(queue).includes(candidate.id)) return queue;
  return queue.current === null ? { ...queue, current: candidate } : { ...queue, ahead: [...queue.ahead, candidate] };
}

/** Returns the ids of the candidates that the reviewer has claimed. */
export const heldIn = ({ current, ahead }: Queue<HasId>) =>
  [...(current ? [current] : []), ...ahead].map(({ id }) => id);

/** Removes a candidate that is no longer the reviewer's. */
export const lost = <Candidate extends HasId>(queue: Queue<Candidate>, id: string): Queue<Candidate> => {
  const [current = null, ...ahead] = [...(queue.current ? [queue.current] : []), ...queue.ahead].filter(
    (candidate) => candidate.id !== id,
  );
  return { ...queue, current, ahead };
};

/** Moves on to the next candidate; the current one is decided, or skipped. */
export function decided<Candidate extends HasId>(queue: Queue<Candidate>, skipped = false): Queue<Candidate> {
  if (queue.current === null) return queue;
  const [next = null, ...ahead] = queue.ahead;
  return { current: next, ahead, decided: [...queue.decided, { candidate: queue.current, skipped }] };
}

/** Brings a decided candidate back on screen, before the others: its decision was undone, or refused. */
export function broughtBack<Candidate extends HasId>(queue: Queue<Candidate>, candidate: Candidate): Queue<Candidate> {
  if (queue.current?.id === candidate.id) return queue;
  const others = [...(queue.current ? [queue.current] : []), ...queue.ahead];
  return {
    current: candidate,
    ahead: others.filter(({ id }) => id !== candidate.id),
    decided: queue.decided.filter((one) => one.candidate.id !== candidate.id),
  };
}
