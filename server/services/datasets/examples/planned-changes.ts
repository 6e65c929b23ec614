import { isDeepStrictEqual } from "node:util";
import { storedPayload } from "@/db/schema/columns";
import { newId } from "@/server/platform/ids";
import { tokenEstimateOf } from "../chat-payload";
import type { ChatPayload } from "../chat-payload/schemas";
import type { Sides } from "./lists/sides";
import { type Content, type Hashed, SAID, type Stored } from "./revisions";
import { splitOf } from "./split";
import type { Draft, Outcome, Patch, Split } from "./types";

/** An Example as the changes leave it. */
export type Planned = {
  /** As stored; absent for a new one. */
  stored: Stored | undefined;
  now: Content & { payload: unknown };
  touched: boolean;
  gone: boolean;
};

/** Returns the columns that a draft or a patch sets; a patch leaves the others out. */
function columnsOf({ payload, tags, source, split, objective, link, reviewerId, provenanceKey }: Patch, hash?: string) {
  return {
    ...(payload && { payload, content_hash: hash as string, tokens: tokenEstimateOf(payload) }),
    ...(tags && { tags: [...new Set(tags)] }),
    ...(source?.kind && { source_kind: source.kind }),
    ...(source?.externalRef !== undefined && { external_ref: source.externalRef }),
    ...(split && { split }),
    ...(objective && { objective }),
    ...(link && {
      conversation_id: link.conversationId,
      user_id: link.userId,
      turn: link.turn,
      finding_id: link.findingId,
    }),
    ...(reviewerId && { reviewer_id: reviewerId }),
    ...(provenanceKey && { provenance_key: provenanceKey }),
  };
}

const NOTHING = {
  objective: null,
  conversation_id: null,
  user_id: null,
  turn: null,
  finding_id: null,
  reviewer_id: null,
  provenance_key: null,
};

/**
 * Returns the payload of an update, and whether its tools are written differently from those that it replaces. A client that
 * only lost the digits of their numbers, as browsers do, keeps the text that was sent first.
 */
function withStoredTools(payload: ChatPayload, stored: string | null) {
  const { tools } = payload.input;
  if (tools === undefined) return { payload, isRewritten: false };
  const given = JSON.stringify(tools);
  if (stored === null) return { payload, isRewritten: false };
  const isSame = given === stored || given === JSON.stringify(JSON.parse(stored));
  return isSame
    ? { payload: { ...payload, input: { ...payload.input, tools: stored } }, isRewritten: false }
    : { payload, isRewritten: true };
}

/** Returns the text of an Example's tools, as the changes before leave it. */
function toolsText({ now, stored }: Planned): string | null {
  const payload = storedPayload(now.payload) as { input: { tools?: string } } | null;
  return payload ? (payload.input.tools ?? null) : (stored?.tools ?? null);
}

const saysTheSame = (one: Content, other: Content) => SAID.every((name) => isDeepStrictEqual(one[name], other[name]));

/** Applies changes in order to the stored Examples in memory, so that a thousand changes need only a handful of statements. */
export class PlannedChanges {
  readonly #byId = new Map<string, Planned>();
  readonly #byHash = new Map<string, Planned>();
  readonly #byProvenance = new Map<string, Planned>();
  readonly #byRef = new Map<string, Planned>();
  readonly #byConversation = new Map<string, Set<Planned>>();
  /** The split of each conversation's Examples. */
  readonly #splits: Map<string, Split>;
  readonly #sides: Sides;
  #lastOrdinal: number;
  readonly #now: number;
  readonly #isMissing: (conversationId: string) => boolean;

  constructor(
    stored: readonly Stored[],
    {
      lastOrdinal,
      now,
      splits,
      sides,
      isMissing,
    }: {
      lastOrdinal: number;
      now: number;
      splits: ReadonlyMap<string, Split>;
      sides: Sides;
      isMissing: (conversationId: string) => boolean;
    },
  ) {
    this.#splits = new Map(splits);
    this.#sides = sides;
    this.#lastOrdinal = lastOrdinal;
    this.#now = now;
    this.#isMissing = isMissing;
    for (const row of stored) this.#index({ stored: row, now: row, touched: false, gone: false });
  }

  get lastOrdinal() {
    return this.#lastOrdinal;
  }

  /** The Examples that are created, changed or deleted. */
  touched(): Planned[] {
    return [...this.#byId.values()].filter(({ touched }) => touched);
  }

  apply(change: Hashed): Outcome {
    if (change.kind === "create")
      return this.#create(change.draft, change.hash as string, change.onDuplicate ?? "skip");
    const found = this.#byId.get(change.exampleId);
    if (!found || found.gone) return { status: "missing" };
    if (change.kind === "update") return this.#update(found, change.patch, change.hash);
    this.#unindex(found);
    found.gone = true;
    found.touched = true;
    return { status: "deleted", exampleId: change.exampleId };
  }

  #create(draft: Draft, hash: string, onDuplicate: "skip" | "update" | "keep"): Outcome {
    const other = this.#duplicateOf(draft, hash, onDuplicate);
    if (other && onDuplicate === "update") return this.#update(other.planned, draft, hash);
    if (other) return { status: "duplicate", exampleId: other.planned.now.example_id, of: other.of };
    if (draft.link && this.#isMissing(draft.link.conversationId)) return { status: "missing" };
    const ordinal = ++this.#lastOrdinal;
    const side = draft.split ?? this.#sides.sideOf(draft) ?? undefined;
    const split = this.#splitOf(draft.link?.conversationId, side, hash);
    this.#sides.add(draft, split);
    const now = {
      ...NOTHING,
      example_id: newId("ex"),
      ordinal,
      created_at: this.#now,
      ...columnsOf({ ...definedOf(draft), split }, hash),
    } as Planned["now"];
    this.#index({ stored: undefined, now, touched: true, gone: false });
    return { status: "created", exampleId: now.example_id };
  }

  /**
   * Returns the split of a new Example: that of its conversation's other Examples, else the given one or that of its copies, else a
   * pseudorandom one.
   */
  #splitOf(conversationId: string | undefined, given: Split | undefined, hash: string): Split {
    // A Dataset's first Example goes to the training split: otherwise one in five Datasets with one Example could not be
    // trained on.
    const other = given ?? (this.#lastOrdinal === 1 ? "train" : splitOf(conversationId ?? hash));
    if (conversationId === undefined) return other;
    const split = this.#splits.get(conversationId) ?? other;
    this.#splits.set(conversationId, split);
    return split;
  }

  /** Moves all Examples of a conversation, so that no part of it is in training while another is in test. */
  #moveConversation(conversationId: string, split: Split) {
    this.#splits.set(conversationId, split);
    for (const planned of this.#byConversation.get(conversationId) ?? []) {
      if (planned.now.split === split) continue;
      planned.now = { ...planned.now, split };
      planned.touched = true;
    }
  }

  #duplicateOf({ provenanceKey, source }: Draft, hash: string, onDuplicate: "skip" | "update" | "keep") {
    const provenance = provenanceKey === undefined ? undefined : this.#byProvenance.get(provenanceKey);
    if (provenance) return { planned: provenance, of: "provenance" as const };
    const { externalRef } = source;
    const ref = externalRef === null || onDuplicate === "keep" ? undefined : this.#byRef.get(externalRef);
    if (ref) return { planned: ref, of: "externalRef" as const };
    const content = this.#byHash.get(hash);
    return content && { planned: content, of: "content" as const };
  }

  #update(found: Planned, patch: Patch, hash: string | undefined): Outcome {
    const exampleId = found.now.example_id;
    if (patch.link && this.#isMissing(patch.link.conversationId)) return { status: "missing" };
    const written = patch.payload && withStoredTools(patch.payload, toolsText(found));
    const next = { ...found.now, ...columnsOf(definedOf(patch), hash), ...(written && { payload: written.payload }) };
    if (patch.link && patch.split === undefined)
      next.split = this.#splitOf(patch.link.conversationId, undefined, next.content_hash);
    if (saysTheSame(next, found.now) && !written?.isRewritten) return { status: "unchanged", exampleId };
    const alike = this.#byHash.get(next.content_hash);
    if (alike && alike !== found) return { status: "duplicate", exampleId: alike.now.example_id, of: "content" };
    const sameSource = next.provenance_key === null ? undefined : this.#byProvenance.get(next.provenance_key);
    if (sameSource && sameSource !== found) {
      return { status: "duplicate", exampleId: sameSource.now.example_id, of: "provenance" };
    }
    this.#unindex(found);
    found.now = next;
    found.touched = true;
    this.#index(found);
    if (patch.split !== undefined && next.conversation_id !== null)
      this.#moveConversation(next.conversation_id, patch.split);
    return { status: "updated", exampleId };
  }

  #index(planned: Planned) {
    const { example_id, content_hash, provenance_key, external_ref, conversation_id } = planned.now;
    this.#byId.set(example_id, planned);
    if (conversation_id !== null)
      this.#byConversation.set(conversation_id, (this.#byConversation.get(conversation_id) ?? new Set()).add(planned));
    this.#byHash.set(content_hash, planned);
    if (provenance_key !== null) this.#byProvenance.set(provenance_key, planned);
    // If several have the same reference, the oldest is the one that it refers to.
    if (external_ref !== null && !this.#byRef.has(external_ref)) this.#byRef.set(external_ref, planned);
  }

  #unindex(planned: Planned) {
    const { content_hash, provenance_key, external_ref, conversation_id } = planned.now;
    if (conversation_id !== null) this.#byConversation.get(conversation_id)?.delete(planned);
    this.#byHash.delete(content_hash);
    if (provenance_key !== null) this.#byProvenance.delete(provenance_key);
    if (external_ref !== null && this.#byRef.get(external_ref) === planned) this.#byRef.delete(external_ref);
  }
}

const definedOf = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
