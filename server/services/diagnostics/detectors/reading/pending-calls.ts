/** What a call that waits for its result is known by. */
type Call = { callId: string | null; name: string };

/** Calls in the order in which they were made. Those before `head` are answered, or given up. */
type Queue<Item> = { items: Item[]; head: number };

/**
 * The calls that wait for their results. A result is matched by its call's id; without an id, by the tool's name or by turn.
 * Each way has its queues, so that ten thousand calls that nobody answers are not searched for every result.
 */
export function pendingCalls<Item extends Call>() {
  const gone = new Set<Item>();
  const all = queuesOf<Item>();
  const byId = new Map<string, Queue<Item>>();
  let unidentified = queuesOf<Item>();

  const firstOf = (queue: Queue<Item> | undefined): Item | undefined => {
    while (queue && queue.head < queue.items.length && gone.has(queue.items[queue.head]!)) queue.head++;
    return queue?.items[queue.head];
  };
  const firstIn = ({ byName, inOrder }: Queues<Item>, name: string | null): Item | undefined =>
    (name === null ? undefined : firstOf(byName.get(name))) ?? firstOf(inOrder);

  return {
    add(call: Item): void {
      addTo(all, call);
      if (call.callId === null) addTo(unidentified, call);
      else push(byId, call.callId, call);
    },
    /** The call that a result answers, which then waits no more. */
    take(id: string | null, name: string | null): Item | undefined {
      const call = (id === null ? undefined : firstOf(byId.get(id))) ?? firstIn(id === null ? all : unidentified, name);
      if (call) gone.add(call);
      return call;
    },
    /** Calls without an id that were not answered before the next ones will not be answered by position. */
    abandonUnidentified(): void {
      for (const call of unidentified.inOrder.items) gone.add(call);
      unidentified = queuesOf<Item>();
    },
  };
}

type Queues<Item> = { inOrder: Queue<Item>; byName: Map<string, Queue<Item>> };

const queuesOf = <Item>(): Queues<Item> => ({ inOrder: { items: [], head: 0 }, byName: new Map() });

function addTo<Item extends Call>({ inOrder, byName }: Queues<Item>, call: Item): void {
  inOrder.items.push(call);
  push(byName, call.name, call);
}

function push<Item>(queues: Map<string, Queue<Item>>, key: string, item: Item): void {
  const queue = queues.get(key);
  if (queue) queue.items.push(item);
  else queues.set(key, { items: [item], head: 0 });
}
