import { verb } from "@/server/platform/verb";
import { handOffText, newestEnded } from "./hand-off-text";
import { handOffInput, handOffReply } from "./schemas";
import { readVariant } from "./variant-rows";

/** Turns that are shown of each sort: enough to see what it is about. */
const TURNS = 4;

export const handOffVariant = verb(
  {
    name: "variants.handOff",
    summary: "Read a variant as a text for a coding agent or a ticket.",
    description:
      "Markdown: what to change, as a unified diff of the system prompt, with the model, parameters and descriptions of tools; turns that failed and turns that went well of its newest evaluation that has ended, with both answers; and what was measured. Texts of conversations are quoted as data.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: handOffInput,
    reply: handOffReply,
  },
  async (ctx, { variantId }) => {
    const variant = await readVariant(ctx, variantId);
    const evaluation = await newestEnded(ctx, variantId);
    return { text: await handOffText(ctx, { variant, evaluation }, { turns: TURNS, shown: (text) => text }) };
  },
);
