import { and, eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { connections } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { OutboundError } from "@/server/platform/outbound";
import { verb } from "@/server/platform/verb";
import { kindOf } from "./kinds";
import { withTimeout } from "./kinds/with-timeout";
import { clientFor } from "./open-connection";
import { problemOf } from "./problem-of";
import { type ConnectionRow, lockConnection, readConnection } from "./read-connection";
import { connectionIdInput, connectionTestReply } from "./schemas";

/** Short, because a user is waiting for the result. */
const TEST_MS = 10_000;

export const testConnection = verb(
  {
    name: "connections.test",
    summary: "Send the service a harmless request with the stored secret, and report any problem.",
    description:
      "Model endpoints: `GET /models`; issue trackers: the account, its scopes and permissions, the default destination, and the states, labels and fields that the settings name; model hubs: `GET /api/whoami-v2`, and whether the token may write; webhooks: a `ping` (Slack: a message). A service that refuses is a 200 with `ok: false`. The result is the connection's `lastTest`.",
    capability: "connections:manage",
    effect: "write",
    input: connectionIdInput,
    reply: connectionTestReply,
  },
  {
    before: async (ctx, { connectionId }) => {
      const row = await readConnection(ctx, connectionId);
      return { row, problems: await problemsOf(ctx, row) };
    },
    run: async (ctx, { connectionId }, { row, problems }) => {
      const { updatedAt } = await lockConnection(ctx, connectionId);
      if (updatedAt !== row.updatedAt)
        throw new ServiceError("conflict", "The connection was changed while it was being tested. Test it again.");
      const test = { ok: problems.length === 0, problems };
      await ctx.db
        .update(connections)
        .set({ lastTest: sql`${JSON.stringify(test)}::jsonb || jsonb_build_object('at', ${NOW})` })
        .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)));
      auditNote(ctx, { after: test });
      return { test };
    },
  },
);

async function problemsOf(ctx: Ctx, row: ConnectionRow): Promise<string[]> {
  const kind = kindOf(row.kind);
  const settings = row.settings as never;
  const missing = row.secretSealed === null ? kind.needsSecret?.(settings) : undefined;
  if (missing !== undefined) return [missing];
  try {
    const service = withTimeout(await clientFor(ctx, row, "test"), TEST_MS);
    return await kind.probe(service, settings, row);
  } catch (error) {
    if (error instanceof OutboundError) return [problemOf(error, kind)];
    if (error instanceof ServiceError && error.code === "unprocessable") return [error.message];
    throw error;
  }
}
