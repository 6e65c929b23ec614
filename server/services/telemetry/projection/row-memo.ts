import { addWords, WORDS_MAX } from "@/server/platform/text/words";
import type { Message } from "../schemas";

const textOf = (message: Message) => message.parts.map((part) => part.text ?? "").join("");

/**
 * The search words of a growing conversation: each pass adds only those of new messages. This is exact, because the words of a
 * conversation are its first distinct ones, in order.
 */
class GrowingWords {
  private readonly words = new Set<string>();
  /** Parts of the messages already covered. An assembler returns the same array for the same message. */
  private covered: Message["parts"][] = [];
  /** Changes with the words. */
  version = 0;

  /** Returns the distinct words of messages. */
  of(messages: readonly Message[]): ReadonlySet<string> {
    if (this.covered.some((parts, at) => messages[at]?.parts !== parts)) {
      this.words.clear();
      this.covered = [];
      this.version++;
    }
    const before = this.words.size;
    for (let at = this.covered.length; at < messages.length && this.words.size < WORDS_MAX; at++) {
      const message = messages[at] as Message;
      addWords(this.words, textOf(message));
      this.covered.push(message.parts);
    }
    if (this.words.size !== before) this.version++;
    return this.words;
  }

  get size(): number {
    return this.words.size;
  }
}

/**
 * Memoizes the rows built from a reading, so that a pass builds only those of new content. It does not record what is stored:
 * digests and versions are compared with the database's.
 */
export class RowMemo {
  private readonly digests = new Map<object, { place: string; digest: string }>();
  readonly words = new GrowingWords();
  /** The search row last written: its inputs, and its version (`xmin`). */
  search: { of: string; version: string } | null = null;

  /** Returns the digest of a row that depends only on an immutable object and a place. */
  digest(of: object, place: string, digest: () => string): string {
    const known = this.digests.get(of);
    if (known?.place === place) return known.digest;
    const made = { place, digest: digest() };
    this.digests.set(of, made);
    return made.digest;
  }

  /** Estimates the memory that it takes, in bytes. */
  get bytes(): number {
    return BYTES_PER_DIGEST * this.digests.size + BYTES_PER_WORD * this.words.size;
  }
}

const BYTES_PER_DIGEST = 250;
const BYTES_PER_WORD = 100;
