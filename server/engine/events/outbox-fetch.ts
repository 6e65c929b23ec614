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
 * Returns a `fetch` for the Inngest client that stores sent events in the outbox, so that `inngest.send` and `step.sendEvent`
 * work without a server. Throws for any other request of the SDK.
 */
export const outboxFetch =
  (db: () => Db): NonNullable<ClientOptions["fetch"]> =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!EVENT_PATH.test(url.pathname)) {
      throw new Error(`The embedded job engine does not support requests to ${url.pathname}.`);
    }
    const events = sent.parse(JSON.parse(String(init?.body)));
    // The SDK sets `ts` to now by default: only a future time matters.
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
