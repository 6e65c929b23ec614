import { verb } from "@/server/platform/verb";
import { shownTo } from "./connection-json";
import { readConnection } from "./read-connection";
import { connectionIdInput, shownConnectionReply } from "./schemas";

export const getConnection = verb(
  {
    name: "connections.get",
    summary: "Read a connection. Never its secret.",
    description: "Whoever lacks `connections:manage` gets `id`, `kind` and `name`.",
    capability: ["connections:manage", "workspace:read"],
    effect: "read",
    input: connectionIdInput,
    reply: shownConnectionReply,
  },
  async (ctx, { connectionId }) => ({ connection: shownTo(ctx, await readConnection(ctx, connectionId)) }),
);
