import { addSymbols } from "@/server/platform/text/symbols";
import { addWords, WORDS_MAX } from "@/server/platform/text/words";
import type { Message } from "../schemas";

const textOf = (message: Message) => message.parts.map((part) => part.text ?? "").join("");

/**
 * The search words and symbols of a growing conversation: each pass adds only those of new messages. This is exact, because the words of a
 * conversation are its first distinct ones, in order.
 */
class GrowingWords {
  readonly words = new Set<string>();
  readonly symbols = new Set<string>();
  /** Parts of the messages already covered. An assembler returns the same array for the same message. */
  private covered: Message["parts"][] = [];
  /** Changes with the words and symbols. */
  version = 0;

  /** Returns the distinct words of messages, and their symbols. */
  of(messages: readonly Message[]): this {
    if (this.covered.some((parts, at) => messages[at]?.parts !== parts)) {
      this.words.clear();
      this.symbols.clear();
      this.covered = [];
      this.version++;
    }
    const before = this.size;
    for (let at = this.covered.length; at < messages.length && this.words.size < WORDS_MAX; at++) {
      const message = messages[at] as Message;
      const text = textOf(message);
      addWords(this.words, text);
      addSymbols(this.symbols, text);
      this.covered.push(message.parts);
    }
    if (this.size !== before) this.version++;
    return this;
  }

  get size(): number {
    return this.words.size + this.symbols.size;
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
