import { verb } from "@/server/platform/verb";
import { shownTo } from "./connection-json";
import { pollProblems } from "./poll-problems";
import { readConnection } from "./read-connection";
import { connectionIdInput, shownConnectionReply } from "./schemas";

export const getConnection = verb(
  {
    name: "connections.get",
    summary: "Read a connection, without its secret.",
    description: "Callers without `connections:manage` get `id`, `kind` and `name`.",
    capability: ["connections:manage", "workspace:read"],
    effect: "read",
    input: connectionIdInput,
    reply: shownConnectionReply,
  },
  async (ctx, { connectionId }) => {
    const row = await readConnection(ctx, connectionId);
    const problems = await pollProblems(ctx, [connectionId]);
    return { connection: shownTo(ctx, row, problems.get(connectionId)) };
  },
);
