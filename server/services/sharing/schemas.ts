import { z } from "zod";
import { SHARE_MASKINGS } from "@/db/schema/enumerations";
import type { SharedBlock, SharedCost, SharedMessage, SharedPart, SharedText } from "@/db/schema/json";
import { idInput, pageInput, pagination, queryBoolean } from "@/server/platform/schemas";

/** What a copy consists of, for the page that shows it. */
export type { SharedBlock, SharedCost, SharedMessage, SharedPart, SharedText };

const SHARE_DAYS_MAX = 30;
const SHARE_DAYS = 7;
/** Links of a project that work at once. */
export const ACTIVE_LINKS_MAX = 500;

const masking = z
  .enum(SHARE_MASKINGS)
  .describe(
    "What the copy leaves out: `personal_data` replaces personal data and credentials that masking recognizes with placeholders such as `<EMAIL_1>`, `content` hides what messages and tools said altogether, `nothing` copies everything as it is.",
  );
export type ShareMasking = z.infer<typeof masking>;

export const shareLink = z.object({
  id: z.string().describe("Id of the link."),
  conversationId: z.string().nullable().describe("The shared conversation; `null` if a Finding is shared."),
  findingId: z.string().nullable().describe("The shared Finding; `null` if a conversation is shared."),
  name: z
    .string()
    .nullable()
    .describe("The first user message of the conversation or the title of the Finding, as it is now."),
  masking,
  includesCost: z.boolean().describe("Whether the copy shows the cost."),
  status: z
    .enum(["active", "expired", "revoked", "deleted"])
    .describe("Whether the link works, or why not. `deleted`: the conversation whose words it showed was deleted."),
  createdBy: z.string().nullable().describe("Id of the member or the API key."),
  createdAt: z.number().describe("Unix milliseconds; the copy shows the conversation or Finding as it was then."),
  expiresAt: z.number().describe("Unix milliseconds."),
  revokedAt: z.number().nullable().describe("Unix milliseconds."),
  openedCount: z.int().describe("How often the page was opened, by programs that preview links, too."),
  lastOpenedAt: z.number().nullable().describe("Unix milliseconds."),
});
export type ShareLink = z.infer<typeof shareLink>;

const OBJECT_EXPECTED = "Send either conversationId or findingId.";

export const createShareLinkInput = z
  .strictObject({
    conversationId: z.string().min(1).max(1000).optional().describe("Id of the conversation, or the client's own."),
    findingId: idInput.optional().describe("Id of the Finding."),
    masking: masking.default("personal_data"),
    includeCost: z.boolean().default(false).describe("Show what it cost, too."),
    days: z.int().min(1).max(SHARE_DAYS_MAX).default(SHARE_DAYS).describe("How many days the link works."),
  })
  .refine(({ conversationId, findingId }) => (conversationId === undefined) !== (findingId === undefined), {
    error: OBJECT_EXPECTED,
    // A field that is refused says more.
    when: ({ issues }) => issues.length === 0,
  })
  // The refinement, expressed as JSON Schema.
  .meta({
    oneOf: [{ required: ["conversationId"] }, { required: ["findingId"] }],
    examples: [{ conversationId: "conv_0199", masking: "personal_data", days: 7 }],
  });

export const createdShareLinkReply = z.object({
  shareLink,
  token: z.string().describe("The secret part of the link, returned only here."),
  link: z.string().describe("The link, returned only here."),
});

export const listShareLinksInput = z.strictObject({
  ...pageInput,
  conversationId: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Only links to this conversation (Whetstone's id or the client's own)."),
  findingId: idInput.optional().describe("Only links to this Finding."),
  active: queryBoolean().optional().describe("Whether the link still works."),
});
export const shareLinksReply = z.object({ shareLinks: z.array(shareLink), pagination });

export const shareLinkInput = z.strictObject({ shareLinkId: idInput.describe("Id of the link.") });

const settings = z.object({
  enabled: z.boolean().describe("Whether members may create share links."),
  activeCount: z.int().describe("Links that work."),
});
export const shareLinkSettingsInput = z.strictObject({});
export const updateShareLinkSettingsInput = z.strictObject({
  enabled: z.boolean().describe("Turning it off revokes all links of the project."),
});
export const shareLinkSettingsReply = z.object({ settings });
