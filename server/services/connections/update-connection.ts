import { isDeepStrictEqual } from "node:util";
import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { connections } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { unprocessable } from "@/server/platform/errors";
import { sealSecret } from "@/server/platform/key-ring";
import { verb } from "@/server/platform/verb";
import { checkAddress } from "./checks/check-address";
import { checkSecret } from "./checks/check-secret";
import { checkTemplates } from "./checks/check-templates";
import { audited, connectionJson } from "./connection-json";
import { requireOnlyDownloads } from "./model-hubs";
import { pollProblems } from "./poll-problems";
import { locationOf, lockConnection, readConnection } from "./read-connection";
import { connectionReply, DEFAULT_SETTINGS, updateConnectionInput } from "./schemas";
import { settingsOf } from "./settings-of";
import { storedEnvelope } from "./stored-envelope";

type Row = typeof connections.$inferSelect;
type Target = Pick<Row, "kind" | "baseUrl" | "settings">;

export const updateConnection = verb(
  {
    name: "connections.update",
    summary: "Change a connection: its name, address, secret or settings.",
    description:
      "Omitted fields keep their value, within `settings` too; `secret: null` removes the secret. A stored secret is only ever sent to the host it was entered for: a different host in `baseUrl` without `secret` is a 422. A new template is tried on a sample: one that cannot be rendered is a 422 with its line. Changing the address, secret or settings sets `lastTest` to null.",
    capability: "connections:manage",
    effect: "write",
    input: updateConnectionInput,
    reply: connectionReply,
  },
  {
    before: async (ctx, { connectionId, settings }) => {
      if (settings === undefined) return;
      await checkTemplates(ctx.projectId, settings, (await readConnection(ctx, connectionId)).settings);
    },
    run: async (ctx, { connectionId, name, baseUrl, secret, settings }) => {
      const before = await lockConnection(ctx, connectionId);
      const target: Target = {
        kind: before.kind,
        baseUrl: baseUrl ?? before.baseUrl,
        settings: settingsOf(before.kind, { ...DEFAULT_SETTINGS[before.kind], ...before.settings, ...settings }),
      };
      if (baseUrl !== undefined) checkAddress(baseUrl);
      if (secret === undefined) refuseElsewhere(before, target);
      checkSecret({ ...target, secret });
      if (target.kind === "model-hub") await requireOnlyDownloads(ctx, connectionId, target.settings);
      const sealed = secret == null ? undefined : await sealSecret(ctx.db, locationOf(before), secret);
      const { baseUrl: was } = before;
      // Older rows lack newer settings.
      const had = { ...DEFAULT_SETTINGS[before.kind], ...before.settings };
      const isAsTested = secret === undefined && target.baseUrl === was && isDeepStrictEqual(target.settings, had);
      const [row] = await ctx.db
        .update(connections)
        .set({
          ...target,
          name: name ?? before.name,
          ...(secret !== undefined && storedEnvelope(sealed)),
          ...(!isAsTested && { lastTest: null }),
          updatedAt: NOW,
        })
        .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)))
        .returning();
      if (!row) throw new Error("The update of a locked connection returned no row.");
      const secretReplaced = sealed !== undefined;
      auditNote(ctx, {
        before: audited(before),
        after: { ...audited(row), ...(secretReplaced && { secretReplaced }) },
      });
      return { connection: connectionJson(row, (await pollProblems(ctx, [connectionId])).get(connectionId)) };
    },
  },
);

/** Throws if a stored secret would be sent elsewhere: whoever manages connections could have it sent to a host of their own. */
function refuseElsewhere(before: Row, after: Target) {
  if (before.secretSealed === null) return;
  const was = new URL(before.baseUrl).origin;
  if (new URL(after.baseUrl).origin !== was)
    throw unprocessable("/secret", `The stored secret was entered for ${was}: enter it again to use a different host.`);
  if (before.settings.format !== after.settings.format)
    throw unprocessable("/secret", "The stored secret was entered for another format: enter the one for this format.");
  // Otherwise an App's private key would be sent as a token.
  if ((before.settings.appId == null) !== (after.settings.appId == null))
    throw unprocessable("/secret", "The stored secret is of another kind: enter the App's private key, or the token.");
}
