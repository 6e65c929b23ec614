import type { Ctx } from "@/server/platform/context";
import { createConnection } from "@/server/services/connections";

/** Does not look like any vendor's token, so that only our own handling hides it. */
export const HUB_TOKEN = "hub-token-4711-of-the-test";

/** Stores a connection to a model hub at which nothing is listening, unless `baseUrl` is given, and returns its id. */
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
