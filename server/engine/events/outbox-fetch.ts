import type { ClientOptions } from "inngest";
import { z } from "zod";
import type { Db } from "@/db/client";
import { emit } from "@/server/platform/outbox";
import { idFromTurn } from "./sending";

const EVENT_PATH = /^\/e\/[^/]+$/;

const sent = z.array(
  z.object({
    name: z.string().min(1),
    data: z.record(z.string(), z.unknown()),
    id: z.string().min(1).max(500).optional(),
    ts: z.number().int().optional(),
  }),
);

/**
 * A `fetch` for the Inngest client that stores what it sends in the outbox, so `inngest.send` and `step.sendEvent`
 * work without a server. Anything else that the SDK would ask a server is refused by name.
 */
export const outboxFetch =
  (db: () => Db): NonNullable<ClientOptions["fetch"]> =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!EVENT_PATH.test(url.pathname)) {
      throw new Error(`The embedded job engine has no server to answer ${url.pathname}.`);
    }
    const events = sent.parse(JSON.parse(String(init?.body)));
    // The SDK stamps the present on what has no time: only a time to come matters, and the outbox knows its own.
    const now = Date.now();
    const stored = events.map(({ name, data, id, ts }) => ({
      name,
      data,
      id: id ?? idFromTurn({ name, data }),
      ts: ts !== undefined && ts > now ? ts : undefined,
    }));
    const ids = await db().transaction((tx) => emit(tx, ...stored));
    return Response.json({ ids, status: 200 });
  };
