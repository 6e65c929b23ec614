import { expect, test } from "vitest";
import { groupsOf, jaccard, type LikenessOf } from "./groups";

const ask = (question: string, rest: Partial<LikenessOf> = {}): LikenessOf => ({
  conversationId: null,
  userId: null,
  messages: [{ role: "user", content: question }],
  answer: null,
  ...rest,
});
const sizes = (items: readonly LikenessOf[]) => {
  const counts = new Map<number, number>();
  for (const group of groupsOf(items).of) counts.set(group, (counts.get(group) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => b - a);
};
/** Questions without a word in common. */
const unlike = (count: number, rest: (n: number) => Partial<LikenessOf> = () => ({})) =>
  Array.from({ length: count }, (_, n) =>
    ask(Array.from({ length: 8 }, (_, word) => `w${n}x${word}`).join(" "), rest(n)),
  );

test("a question with one word in eight replaced is a near copy", () => {
  const words = ["where", "can", "i", "return", "the", "blue", "winter", "jacket"];
  const changed = words.map((word, at) => (at === 6 ? "rain" : word));
  expect(jaccard(new Set(words), new Set(changed))).toBeCloseTo(7 / 9);
  expect(
    sizes([ask(words.join(" ")), ask(`${changed.join(" ")}?`), ask("How long does delivery to Norway take?")]),
  ).toEqual([2, 1]);
});

test("one conversation, one user and one long answer are each a group", () => {
  const answer = "You can send it back within thirty days at no cost.";
  expect(sizes(unlike(2, () => ({ conversationId: "c" })))).toEqual([2]);
  expect(sizes(unlike(2, () => ({ userId: "u" })))).toEqual([2]);
  expect(sizes(unlike(2, (n) => ({ answer: n === 0 ? answer : answer.toUpperCase() })))).toEqual([2]);
  expect(sizes(unlike(2, () => ({ answer: "You are welcome." })))).toEqual([1, 1]);
});

test("a short message is compared together with the next one", () => {
  const said = (next: string) =>
    ask("", {
      messages: [
        { role: "user", content: "Yes" },
        { role: "assistant", content: next },
      ],
    });
  expect(sizes([said("Then I cancel order twelve now"), said("Which of these colours do you prefer")])).toEqual([1, 1]);
  expect(sizes([said("Then I cancel order twelve now"), said("Then I cancel order thirteen now")])).toEqual([2]);
  expect(sizes([ask("Yes"), ask("Yes")])).toEqual([1, 1]);
});

test("what would join more than a tenth of the set is dropped: equal answers first, then users", () => {
  const answer = "Please contact our support team at any time for more help.";
  const sameAnswer = groupsOf(unlike(60, () => ({ answer })));
  expect([sameAnswer.dropped, new Set(sameAnswer.of).size]).toEqual([["answer"], 60]);
  const sameUser = groupsOf(unlike(60, () => ({ userId: "everyone" })));
  expect([sameUser.dropped, new Set(sameUser.of).size]).toEqual([["answer", "user"], 60]);
});

test("near copies are found among thousands", () => {
  const items = unlike(2000);
  const copies = items.slice(0, 500).map(({ messages }) => ask(`${messages[0]!.content} please`));
  const { of } = groupsOf([...items, ...copies]);
  const found = copies.filter((_, n) => of[2000 + n] === of[n]);
  expect(found).toHaveLength(500);
});
