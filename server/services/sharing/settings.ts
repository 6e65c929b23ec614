import { and, count, eq } from "drizzle-orm";
import { projects, shareLinks } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { shareLinkSettingsInput, shareLinkSettingsReply, updateShareLinkSettingsInput } from "./schemas";
import { isActive, readEnabled, revoke } from "./share-links";

export async function countActive({ db, projectId }: Ctx): Promise<number> {
  const [counted] = await db
    .select({ active: count() })
    .from(shareLinks)
    .where(and(eq(shareLinks.projectId, projectId), isActive(db)));
  return counted?.active ?? 0;
}

export const getShareLinkSettings = verb(
  {
    name: "shareLinks.getSettings",
    summary: "Get whether read-only copies may be shared with people outside the project.",
    description: "Off in a new project.",
    effect: "read",
    capability: "workspace:read",
    input: shareLinkSettingsInput,
    reply: shareLinkSettingsReply,
  },
  async (ctx) => {
    const [project] = await ctx.db
      .select({ enabled: projects.shareLinks })
      .from(projects)
      .where(eq(projects.id, ctx.projectId));
    if (!project) throw notFound("The project");
    return { settings: { enabled: project.enabled, activeCount: await countActive(ctx) } };
  },
);

export const updateShareLinkSettings = verb(
  {
    name: "shareLinks.updateSettings",
    summary: "Turn share links on or off.",
    description:
      "Turning them off revokes all links immediately and deletes their copies; turning them on again does not bring them back.",
    effect: "write",
    capability: "project:admin",
    input: updateShareLinkSettingsInput,
    reply: shareLinkSettingsReply,
  },
  async (tx, { enabled }) => {
    const before = await readEnabled(tx, "no key update");
    await tx.db.update(projects).set({ shareLinks: enabled }).where(eq(projects.id, tx.projectId));
    const revoked = enabled ? 0 : await revoke(tx);
    auditNote(tx, { target: null, before: { enabled: before }, after: { enabled, ...(enabled ? {} : { revoked }) } });
    return { settings: { enabled, activeCount: await countActive(tx) } };
  },
);
