import { connect, createServer, type Socket } from "node:net";

/**
 * What the network between the product and its database does: carries; carries slowly; holds everything back without a
 * word, as a cable that was pulled out; takes connections and closes them at once, as a balancer with nothing behind it.
 */
export type Mood = "carries" | "slow" | "silent" | "closes";

const SLOW_MS = 100;

/** A TCP link to `port` whose mood a test sets. */
export async function startLink(port: number) {
  let mood: Mood = "carries";
  const pairs = new Set<Socket>();
  const held: (() => void)[] = [];

  const carry = (from: Socket, to: Socket) => {
    let onTheWay = 0;
    from.on("data", (chunk) => {
      const deliver = () => void to.write(chunk);
      if (mood === "silent") held.push(deliver);
      else if (mood === "slow" || onTheWay > 0) {
        // Nothing overtakes what was sent before it.
        onTheWay += 1;
        setTimeout(() => {
          onTheWay -= 1;
          deliver();
        }, SLOW_MS);
      } else deliver();
    });
    from.on("close", () => to.destroy());
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
      if (to !== "silent") for (const deliver of held.splice(0)) deliver();
    },
    async stop() {
      for (const socket of pairs) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Link = Awaited<ReturnType<typeof startLink>>;
