/** The properties by which a result is matched to its call. */
type Call = { callId: string | null; name: string };

/** Calls in order. Those before `head` have a result or are abandoned. */
type Queue<Item> = { items: Item[]; head: number };

/**
 * Tracks calls without a result. A result is matched by call id, or without an id by tool name or order. Each kind of match
 * has its own queues, so that ten thousand calls without a result are not searched for every result.
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
    /** Removes and returns the call that a result belongs to. */
    take(id: string | null, name: string | null): Item | undefined {
      const call = (id === null ? undefined : firstOf(byId.get(id))) ?? firstIn(id === null ? all : unidentified, name);
      if (call) gone.add(call);
      return call;
    },
    /** Abandons calls without an id: once later calls follow, results cannot be matched to them by order. */
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
