import { z } from "zod";
import {
  COLLECTION_OBJECTIVES,
  EXAMPLE_SOURCE_KINDS,
  EXAMPLE_SPLITS,
  IMPORT_DUPLICATES,
} from "@/db/schema/enumerations";
import {
  changing,
  filledText,
  idInput,
  oneOrSeveral,
  pageInput,
  queryInteger,
  unixMs,
} from "@/server/platform/schemas";
import { namedActor } from "@/server/services/members/schemas";
import { type ChatPayload, givenChatPayload as payload } from "../chat-payload/schemas";

export const TAG_CHARACTERS = 100;
export const TAGS_MAX = 50;
/** Items per batch. */
const BATCH_MAX = 1_000;

const tag = filledText(TAG_CHARACTERS);
export const tags = z.array(tag).max(TAGS_MAX);
const split = z.enum(EXAMPLE_SPLITS);
const sourceKind = z.enum(EXAMPLE_SOURCE_KINDS);
const objective = z.enum(COLLECTION_OBJECTIVES);
/** Maximum bytes of an indexed id; an index entry can store 2,704 bytes, including the ids of project and Dataset. */
const INDEXED_BYTES = 2_000;

/** Returns a schema for indexed text with at most so many characters. */
export const indexedText = (characters: number) =>
  z
    .string()
    .max(characters)
    .refine(
      (text) => new TextEncoder().encode(text).length <= INDEXED_BYTES,
      `Must have at most ${INDEXED_BYTES} bytes as UTF-8.`,
    );

/** An Example's id in another system. */
export const externalRef = indexedText(1_000).min(1).nullable();
const source = z.strictObject({ kind: sourceKind.default("manual"), externalRef: externalRef.default(null) });
const changedSource = z.strictObject({ kind: sourceKind.exactOptional(), externalRef: externalRef.exactOptional() });

/** One training Example. Times are Unix ms. */
export const example = z.object({
  id: z.string(),
  datasetId: z.string(),
  payload: z.custom<ChatPayload>(),
  tags: z.array(z.string()),
  split,
  source: z.object({ kind: sourceKind, externalRef: z.string().nullable() }),
  /** The objective that collected it; `null` if it was not collected. */
  objective: objective.nullable(),
  conversationId: z.string().nullable(),
  /** Index in the conversation of the message that the expected output improves on. */
  turn: z.int().nullable(),
  findingId: z.string().nullable(),
  /** The member who approved or corrected it. */
  reviewerId: z.string().nullable(),
  /** SHA-256 of the payload as canonical JSON (RFC 8785): unique in the Dataset. */
  contentHash: z.string(),
  /** Approximate number of tokens. */
  tokens: z.int(),
  /** The version that wrote its current content. */
  version: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Example = z.infer<typeof example>;

export const exampleReply = z.object({ example });
export const exampleWithReviewerReply = z.object({ example, reviewer: namedActor.nullable() });
/** The reply for callers who may not read. */
export const writtenExampleReply = z.object({ example: example.pick({ id: true, datasetId: true, updatedAt: true }) });
export const examplesReply = z.object({ examples: z.array(example), nextCursor: z.string().nullable() });

const created = { source: source.default({ kind: "manual", externalRef: null }), tags: tags.default([]), payload };
/** Omitted fields of `source` keep their value. */
const changed = { source: changedSource.optional(), tags: tags.optional(), payload: payload.optional() };

export const createExampleInput = z.strictObject({
  datasetId: idInput,
  ...created,
  /** Default: the same for all Examples of a conversation, 80/10/10. */
  split: split.optional(),
});
export const exampleIdInput = z.strictObject({ datasetId: idInput, exampleId: idInput });
export const updateExampleInput = changing(
  z.strictObject({
    datasetId: idInput,
    exampleId: idInput,
    ...changed,
    split: split.optional(),
    /** The `updatedAt` of the Example that the change was based on. 409 if it has changed since. */
    expectedUpdatedAt: unixMs.optional(),
  }),
  ["datasetId", "exampleId", "expectedUpdatedAt"],
);

export const exampleFilters = {
  /** Several splits, sources, tags or objectives match any of them. */
  split: oneOrSeveral(split).optional(),
  source: oneOrSeveral(sourceKind).optional(),
  tag: oneOrSeveral(tag).optional(),
  objective: oneOrSeveral(objective).optional(),
  conversationId: idInput.optional(),
  findingId: idInput.optional(),
  /** Words that its messages must all contain. */
  q: z.string().max(1000).optional(),
  /** Default: the newest. */
  version: queryInteger(1, 2 ** 31 - 1).optional(),
};
export type ExampleFilters = z.infer<z.ZodObject<typeof exampleFilters>>;
export const listExamplesInput = z.strictObject({ datasetId: idInput, ...pageInput, ...exampleFilters });

const { version: _, ...currentFilters } = exampleFilters;
export const exampleFacetsInput = z.strictObject({ datasetId: idInput, ...currentFilters });
const counts = z.array(z.object({ value: z.string(), count: z.int() }));
export const exampleFacetsReply = z.object({
  facets: z.object({
    /** Number of Examples that match all filters. */
    total: z.int(),
    /** Number of Examples examined; `sampled`: there are more. */
    counted: z.int(),
    sampled: z.boolean(),
    splits: counts,
    sources: counts,
    objectives: counts,
    /** The most frequent tags, and those that the filters name. */
    tags: counts,
    /** By lower bound of the range. */
    tokens: z.array(z.object({ from: z.int(), count: z.int() })),
  }),
});

const batchItem = z.discriminatedUnion("action", [
  z.strictObject({
    action: z.literal("create"),
    ...created,
    split: split.optional(),
    /** If an Example has the same reference: keep it, overwrite it, or store a second one. */
    onDuplicate: z.enum(IMPORT_DUPLICATES).default("keep"),
  }),
  z.strictObject({ action: z.literal("update"), exampleId: idInput, ...changed, split: split.optional() }),
  z.strictObject({ action: z.literal("delete"), exampleId: idInput }),
]);
export type BatchItem = z.output<typeof batchItem>;

export const batchExamplesInput = z.strictObject({
  datasetId: idInput,
  items: z.array(batchItem).min(1).max(BATCH_MAX),
});
export const batchResult = z.object({
  /** The status that the item would have on its own. */
  status: z.int(),
  outcome: z.enum(["created", "updated", "unchanged", "deleted", "duplicate", "missing", "invalid"]),
  /** For a duplicate: the existing Example. */
  exampleId: z.string().nullable(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
});
export type BatchResult = z.infer<typeof batchResult>;
/** In the order of the items. */
export const batchReply = z.object({ results: z.array(batchResult) });
