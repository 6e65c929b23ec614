import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";

/** Shaped like none of a vendor's, so that nothing but its own handling hides it. */
export const HUB_TOKEN = "hub-token-4711-of-the-test";

/** Stores a connection to a hub of models that nobody listens as, and returns its id. `baseUrl` for one that somebody does. */
export async function storedHub(ctx: Ctx, changes: { baseUrl?: string; secret?: string; name?: string } = {}) {
  const { connection } = await createConnection(ctx, {
    kind: "model-hub",
    name: "Hub",
    baseUrl: "https://hub.example.com",
    secret: HUB_TOKEN,
    ...changes,
  });
  return connection.id;
}
