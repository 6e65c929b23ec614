import { sourcesOf } from "./precedence";

/** The managed prompt that a span was made from. */
export const PROMPT = sourcesOf("prompt");
