import { NOW } from "@/db/now";
import { connections } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { sealSecret } from "@/server/platform/key-ring";
import { verb } from "@/server/platform/verb";
import { checkAddress } from "./checks/check-address";
import { checkSecret } from "./checks/check-secret";
import { checkTemplates } from "./checks/check-templates";
import { audited, connectionJson } from "./connection-json";
import { requireOnlyDownloads } from "./model-hubs";
import { locationOf } from "./read-connection";
import { connectionReply, createConnectionInput, DEFAULT_SETTINGS, defaultBaseUrl } from "./schemas";
import { settingsOf } from "./settings-of";
import { storedEnvelope } from "./stored-envelope";

export const createConnection = verb(
  {
    name: "connections.create",
    summary: "Connect the project to an outside service. The secret is stored encrypted and never returned.",
    description:
      "`secret` is a token; for a GitHub App (`appId` and `installationId` in `settings`) its private key as PEM; for Jira Cloud `email:token`; for a signed webhook the signing key (`whsec_…` or any text); for Slack the incoming webhook's address. The service is not called; `…/test` does that. `dialect` in the settings of a model connection is the API of its endpoint: calls are translated from OpenAI's, and its default address is that API's. Templates are tried on a sample: one that cannot be rendered is a 422 with its line. An address that Whetstone may not call is a 422 that says what the operator can allow.",
    capability: "connections:manage",
    effect: "write",
    input: createConnectionInput,
    reply: connectionReply,
  },
  {
    before: (ctx, { settings = {} }) => checkTemplates(ctx.projectId, settings),
    run: async (ctx, { kind, name, secret, ...given }) => {
      const baseUrl = given.baseUrl ?? defaultBaseUrl(kind, given.settings ?? {});
      if (baseUrl === null) throw unprocessable("/baseUrl", "This kind has no default address: enter one.");
      const settings = settingsOf(kind, { ...DEFAULT_SETTINGS[kind], ...given.settings });
      checkAddress(baseUrl);
      checkSecret({ kind, baseUrl, settings, secret });
      const location = locationOf({ projectId: ctx.projectId, id: newId("conn") });
      if (kind === "model-hub") await requireOnlyDownloads(ctx, location.id, settings);
      const envelope = secret === undefined ? undefined : await sealSecret(ctx.db, location, secret);
      const [row] = await ctx.db
        .insert(connections)
        .values({
          projectId: ctx.projectId,
          id: location.id,
          kind,
          name,
          baseUrl,
          settings,
          ...storedEnvelope(envelope),
          updatedAt: NOW,
        })
        .returning();
      if (!row) throw new Error("The insert of a connection returned no row.");
      auditNote(ctx, { target: { type: "connection", id: row.id }, after: audited(row) });
      return { connection: connectionJson(row) };
    },
  },
);
