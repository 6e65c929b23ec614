import type { COLLECTION_OBJECTIVES, EXAMPLE_SOURCE_KINDS, EXAMPLE_SPLITS } from "@/db/schema/enumerations";
import type { ChatPayload } from "../chat-payload/schemas";

export type SourceKind = (typeof EXAMPLE_SOURCE_KINDS)[number];
export type Split = (typeof EXAMPLE_SPLITS)[number];
export type Objective = (typeof COLLECTION_OBJECTIVES)[number];

/** An Example to write. Its payload is valid. */
export type Draft = {
  payload: ChatPayload;
  tags: string[];
  source: { kind: SourceKind; externalRef: string | null };
  /**
   * Default: that of its copies in the Dataset, else derived from the conversation or the content. All Examples of a conversation
   * have the same split: a new one takes that of the others, and an update moves them all.
   */
  split?: Split;
  objective?: Objective;
  link?: { conversationId: string; userId: string | null; turn: number | null; findingId: string | null };
  reviewerId?: string;
  /** Equal for the same source and objective: the second such Example is a duplicate. */
  provenanceKey?: string;
};

/** The fields that an update changes; omitted fields stay, those of the source too. */
export type Patch = Partial<Omit<Draft, "source">> & { source?: Partial<Draft["source"]> };

export type Change =
  | {
      kind: "create";
      draft: Draft;
      /**
       * What happens if the Dataset has an Example with this reference or content. `skip` (the default) leaves it, `update`
       * overwrites it with the draft, `keep` stores a second one with the same reference. Equal content is never stored twice.
       */
      onDuplicate?: "skip" | "update" | "keep";
    }
  | { kind: "update"; exampleId: string; patch: Patch }
  | { kind: "delete"; exampleId: string };

/** `missing`: the Example, or the conversation of a draft, does not exist. */
export type Outcome =
  | { status: "created" | "updated" | "unchanged" | "deleted"; exampleId: string }
  | { status: "duplicate"; exampleId: string; of: "content" | "provenance" | "externalRef" }
  | { status: "missing" };
