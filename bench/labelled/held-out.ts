const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;
/** One in this many is held out. */
const SHARE = 5;

/** Returns a hash of a string (FNV-1a), the same everywhere. */
export function hashOf(text: string): number {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_FACTOR);
  return hash >>> 0;
}

/**
 * Returns whether what a key names (a question, an attack, a person) is kept out of training and used only for measuring: a
 * model's figures on its own training data would make the confidence too high.
 */
export const isHeldOut = (key: string): boolean => hashOf(key) % SHARE === 0;
