import { connect, createServer, type Socket } from "node:net";

/**
 * The state of the network between the product and its database: carries; carries slowly; drops everything silently, like
 * an unplugged cable; accepts connections and closes them immediately, like a load balancer without a backend.
 */
export type Mood = "carries" | "slow" | "silent" | "closes";

const SLOW_MS = 100;

/** Starts a TCP proxy to `port` whose state a test sets. */
export async function startLink(port: number) {
  let mood: Mood = "carries";
  const pairs = new Set<Socket>();
  /** Data waiting to be delivered, in order, for each direction of each pair. */
  const pumps = new Set<() => void>();

  const carry = (from: Socket, to: Socket) => {
    const queue: { chunk: Buffer; dueAt: number }[] = [];
    const pump = () => {
      for (let head = queue[0]; head && mood !== "silent"; head = queue[0]) {
        const early = head.dueAt - performance.now();
        if (early > 0) return void setTimeout(pump, early);
        queue.shift();
        to.write(head.chunk);
      }
    };
    pumps.add(pump);
    from.on("data", (chunk: Buffer) => {
      queue.push({ chunk, dueAt: performance.now() + (mood === "slow" ? SLOW_MS : 0) });
      pump();
    });
    from.on("close", () => {
      pumps.delete(pump);
      to.destroy();
    });
    from.on("error", () => {});
    pairs.add(from);
    from.on("close", () => pairs.delete(from));
  };
  const server = createServer({ noDelay: true }, (near) => {
    if (mood === "closes") {
      near.on("error", () => {}).resume();
      near.end();
      return;
    }
    const far = connect({ port, host: "127.0.0.1", noDelay: true });
    carry(near, far);
    carry(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as { port: number }).port,
    turn(to: Mood) {
      mood = to;
      if (to === "closes") for (const socket of pairs) socket.destroy();
      for (const pump of pumps) pump();
    },
    async stop() {
      for (const socket of pairs) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Link = Awaited<ReturnType<typeof startLink>>;
