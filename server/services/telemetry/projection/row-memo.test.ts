import fc from "fast-check";
import { expect, test } from "vitest";
import { WORDS_MAX, wordsOf } from "@/server/platform/text/words";
import type { Message } from "../schemas";
import { RowMemo } from "./row-memo";

const said = (text: string): Message => ({
  role: "user",
  parts: [{ type: "text", text }],
  toolCalls: [],
  toolCallId: null,
  agent: null,
  spanId: null,
  at: null,
});
const many = (from: number) => Array.from({ length: WORDS_MAX / 2 + 1 }, (_, n) => `w${from + n}`).join(" ");
const MESSAGES = ["a b", "b c", "A, d", "", "注文は", many(0), many(1000), many(5000)].map(said);

test("the words of a conversation that grows, shrinks or changes are those of its messages", () => {
  const list = fc.array(fc.constantFrom(...MESSAGES), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 6 }), fc.boolean(), (lists, grows) => {
      const { words } = new RowMemo();
      let messages: Message[] = [];
      let [before, version] = ["", words.version];
      for (const next of lists) {
        messages = grows ? [...messages, ...next] : next;
        const found = [...words.of(messages).words];
        expect(found).toEqual(wordsOf(messages.map(({ parts }) => parts[0]?.text ?? "")));
        if (found.join(" ") !== before) expect(words.version).not.toBe(version);
        [before, version] = [found.join(" "), words.version];
      }
    }),
    { numRuns: 300 },
  );
});
