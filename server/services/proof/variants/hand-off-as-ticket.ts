import { auditNote } from "@/server/platform/audit";
import { unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { commentOnTicket, confirmHandedOff } from "@/server/services/diagnostics";
import { PlaceholderMask } from "@/server/services/diagnostics/masking";
import { handOffText, newestEnded } from "./hand-off-text";
import { handedOffReply, handOffAsTicketInput, handOffAsTicketReply } from "./schemas";
import { readVariant } from "./variant-rows";

/** Turns of each sort: trackers cut what is longer than some tens of thousands of characters. */
const TURNS = 2;

export const handOffVariantAsTicket = verb(
  {
    name: "variants.handOffAsTicket",
    summary: "Add a variant with its evidence to the ticket of the Finding that it was written for.",
    description:
      "The text of `hand-off` becomes a comment, with fewer turns, and with personal data and secrets masked; the same text of one variant and evaluation is not added twice. A Finding without a ticket gets one first, in the tracker that `provider` names, and is confirmed; a Finding with one needs no `provider`, and another tracker or destination is a 409. `isAdded` is false while the tracker has not created the ticket: send the request again once it has. 422: the variant was written for no Finding, or there is no ticket and no `provider`. Without a usable connection: 501, which says how to create one.",
    effect: "write",
    capability: "diagnostics:write",
    input: handOffAsTicketInput,
    reply: handOffAsTicketReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: handedOffReply },
  },
  {
    before: async (ctx, { variantId, ...to }) => {
      const variant = await readVariant(ctx, variantId);
      if (variant.findingId === null)
        throw unprocessable(
          "/variantId",
          "The variant was written for no Finding, so there is no ticket to add it to.",
        );
      const evaluation = await newestEnded(ctx, variantId);
      const mask = new PlaceholderMask();
      const body = await handOffText(ctx, { variant, evaluation }, { turns: TURNS, shown: (text) => mask.text(text) });
      const marker = `${variantId}.${evaluation?.id ?? "unmeasured"}`;
      return commentOnTicket(ctx, variant.findingId, to, { body, marker });
    },
    run: async (ctx, { variantId }, { item, isAdded }) => {
      auditNote(ctx, { target: { type: "workItem", id: item.id }, after: { variantId, isAdded } });
      return { ...(await confirmHandedOff(ctx, item)), isAdded };
    },
  },
);
