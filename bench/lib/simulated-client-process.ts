import { protobufBatch } from "./otlp-batch";
import { atPace, type Paced } from "./pace";
import { readerOf } from "./reads";
import { senderTo } from "./sender";

/** One client's share of a benchmark, in its own process; `simulated-client.ts` starts and commands it. */
export type SimulatedClient = {
  project: { url: string; projectId: string; secret: string };
  connections: number;
  batch: { spans: number; bytesPerSpan: number };
};
export type Order =
  | { kind: "store"; spans: number }
  | { kind: "read"; times: number }
  | { kind: "work"; batches: number; reads: number; ms: number };
export type Answer = { ingest: Paced; reads: Paced } | null | { error: string };

const { project, connections, batch } = JSON.parse(process.argv[2] ?? "") as SimulatedClient;
const { post, close } = senderTo(project, connections);
const { read } = readerOf(project);

const made = (spans = batch.spans) => protobufBatch({ spans, spansPerTrace: 10, bytesPerSpan: batch.bytesPerSpan });
const send = async (body: Uint8Array) => {
  const status = await post(body);
  if (status !== 200) throw new Error(`a batch was answered with ${status}`);
};

/** Batches prepared in advance, because the time to create one is not the product's. */
const ready = Array.from({ length: connections }, () => made());

async function obey(order: Order): Promise<Answer> {
  if (order.kind === "store") {
    let sent = 0;
    const one = async () => {
      for (; sent < order.spans; await send(made(500))) sent += 500;
    };
    await Promise.all(Array.from({ length: connections }, one));
    return null;
  }
  if (order.kind === "read") {
    for (let nth = 0; nth < order.times; nth += 1) await read(nth);
    return null;
  }
  const until = performance.now() + order.ms;
  const [ingest, reads] = await Promise.all([
    atPace({ perSecond: order.batches, atOnce: connections, until }, () => {
      const sent = send(ready.pop() ?? made());
      return sent.finally(() => setImmediate(() => ready.push(made())));
    }),
    atPace({ perSecond: order.reads, atOnce: connections, until }, read),
  ]);
  return { ingest, reads };
}

process.on("message", (order: Order) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once("disconnect", close);
