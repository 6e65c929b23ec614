import { z } from "zod";
import { filledText, idInput } from "@/server/platform/schemas";
import { chatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { tags } from "@/server/services/datasets/examples/schemas";

const CONVERSATIONS_MAX = 100;
const DATASETS_MAX = 20;
const ANSWER_CHARACTERS = 100_000;

const ids = (max: number) =>
  z
    .array(idInput)
    .min(1)
    .max(max)
    .overwrite((all) => [...new Set(all)]);

const selection = {
  /** Whetstone's own ids. */
  conversationIds: ids(CONVERSATIONS_MAX).optional(),
  /** Instead of ids: the newest conversations of this Finding. */
  findingId: idInput.optional(),
  /** Index of the assistant message that is the answer. Default: the last one with text. Only with a single conversation. */
  turn: z.int().min(0).optional(),
};
type Selection = { conversationIds?: string[] | undefined; findingId?: string | undefined; turn?: number | undefined };
const isOneSelection = ({ conversationIds, findingId }: Selection) =>
  (conversationIds === undefined) !== (findingId === undefined);
const hasTurnOfOne = ({ conversationIds, turn }: Selection) => turn === undefined || conversationIds?.length === 1;
const ONE = { message: "Send either conversationIds or findingId." };
const TURN = { message: "A turn can only be given for a single conversation.", path: ["turn"] };

/** An example for the OpenAPI document, which cannot derive from the schema that only one of the two is sent. */
const EXAMPLE = { conversationIds: ["conv_01a206ad25647118ae49f8dd704ebede"] };

export const previewConversationsInput = z
  .strictObject(selection)
  .refine(isOneSelection, ONE)
  .refine(hasTurnOfOne, TURN)
  .meta({ examples: [EXAMPLE] });
export const addConversationsInput = z
  .strictObject({ ...selection, datasetIds: ids(DATASETS_MAX), tags: tags.default([]) })
  .refine(isOneSelection, ONE)
  .refine(hasTurnOfOne, TURN)
  .meta({ examples: [{ ...EXAMPLE, datasetIds: ["ds_01a206ad25647118ae49f8dd704ebede"] }] });

/** The Example made from a conversation, or why none could be made. */
const made = z.object({
  conversationId: z.string(),
  /** Index of the message that is the answer. */
  turn: z.int().nullable(),
  payload: chatPayload.nullable(),
  /** Why there is no payload. */
  problem: z.string().nullable(),
});
export const previewConversationsReply = z.object({ examples: z.array(made) });

/** The outcome for a conversation in a Dataset. */
const added = z.object({
  conversationId: z.string(),
  datasetId: z.string(),
  status: z.enum(["created", "duplicate", "skipped"]),
  /** The Example that was created, or that already existed. */
  exampleId: z.string().nullable(),
  problem: z.string().nullable(),
});
export type Added = z.infer<typeof added>;
export const addConversationsReply = z.object({ results: z.array(added) });

export const correctAnswerInput = z.strictObject({
  datasetId: idInput,
  /** Our id or the client's own. */
  conversationId: z.string().min(1).max(1000),
  /** Index of the assistant message to correct. */
  turn: z.int().min(0),
  /** What the assistant should have said. */
  answer: filledText(ANSWER_CHARACTERS, "Enter the better answer."),
  tags: tags.default([]),
});
export const correctAnswerReply = z.object({ result: added });
