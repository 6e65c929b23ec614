import { databaseNow } from "@/db/database-now";
import { sharedParts, shareLinks } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { idOfActor, requireCapability } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { publicUrl } from "@/server/platform/public-url";
import { verb } from "@/server/platform/verb";
import { hashOfToken, newToken } from "@/server/services/identity";
import { copyConversation } from "./copies/copy-conversation";
import { copyFinding } from "./copies/copy-finding";
import { redactorFor } from "./copies/redactor";
import { ACTIVE_LINKS_MAX, createdShareLinkReply, createShareLinkInput } from "./schemas";
import { countActive } from "./settings";
import { requireEnabled, shareLinkJson } from "./share-links";

export const createShareLink = verb(
  {
    name: "shareLinks.create",
    summary: "Create a link with which anyone who has it can read a copy of one conversation or one Finding.",
    description:
      "The copy is frozen: it shows what there was when the link was created, without ids, links to other things, images and files. It is deleted when the link is revoked, and with its conversation. Requires the right to read what is shared, too, and `project:admin` to leave nothing out. A 409 while share links are off in the project.",
    effect: "write",
    capability: "diagnostics:write",
    input: createShareLinkInput,
    reply: createdShareLinkReply,
  },
  async (tx, { conversationId, findingId, masking, includeCost, days }) => {
    if (masking === "nothing") requireCapability(tx, ["project:admin"]);
    await requireEnabled(tx);
    if ((await countActive(tx)) >= ACTIVE_LINKS_MAX) {
      throw unprocessable("", `This project already has ${ACTIVE_LINKS_MAX} active share links. Revoke one first.`);
    }
    const options = { redactor: redactorFor(masking), includeCost };
    const copy =
      findingId === undefined
        ? await copyConversation(tx, conversationId ?? "", options)
        : await copyFinding(tx, findingId, options);
    const token = newToken();
    const now = await databaseNow(tx.db);
    const id = newId("shr");
    const [row] = await tx.db
      .insert(shareLinks)
      .values({
        projectId: tx.projectId,
        id,
        tokenHash: hashOfToken(token),
        ...copy.of,
        masking,
        includesCost: includeCost,
        createdBy: idOfActor(tx.actor),
        createdAt: now,
        expiresAt: now + days * DAY_MS,
      })
      .returning();
    if (!row) throw new Error("The insert of a share link returned no row.");
    await tx.db
      .insert(sharedParts)
      .values(copy.parts.map((part, position) => ({ ...part, projectId: tx.projectId, shareLinkId: id, position })));
    auditNote(tx, {
      target: { type: "shareLink", id },
      after: { ...copy.of, masking, includesCost: includeCost, expiresAt: row.expiresAt },
    });
    const shareLink = shareLinkJson({ ...row, name: copy.name, hasCopy: true }, now);
    return { shareLink, token, link: publicUrl(`share/${token}`) };
  },
);
