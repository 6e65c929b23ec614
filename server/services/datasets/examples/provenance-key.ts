import { createHash } from "node:crypto";
import type { COLLECTION_OBJECTIVES } from "@/db/schema/enumerations";
import { canonicalJson } from "@/server/platform/json/canonical-json";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

type Objective = (typeof COLLECTION_OBJECTIVES)[number];
type ProvenanceSource = { conversationId: string; turn: number };

/**
 * Returns the key of an Example's source, so that a source never yields two Examples for one objective. Neither Finding nor
 * goal is part of it, because two of them may lead to the same answer.
 */
export const provenanceKeyOf = ({ source, objective }: { source: ProvenanceSource; objective: Objective }): string =>
  sha256(canonicalJson([objective, source.conversationId, source.turn]));

/** Returns the key of what a person made from a turn, which prevents adding the same turn twice in the same way. */
export const keyOfChosen = (
  way: "added" | "corrected",
  { conversationId, turn }: { conversationId: string; turn: number | null },
): string => sha256(canonicalJson([way, conversationId, turn]));
