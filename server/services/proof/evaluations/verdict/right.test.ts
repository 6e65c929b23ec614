import { expect, test } from "vitest";
import { contradictsNothing, decideRight, floorsOf } from "./right";

const REFERENCES = [
  "You can try on the backpack in our store in Bern, on the second floor, every day except Sunday.",
  "Wash the backpack by hand at 30 degrees and let it dry in the shade.",
  "Your refund of 48 francs will be on your account within five days.",
  "We ship to Norway for 12 francs, which takes about a week.",
  "The tent weighs 2.4 kilograms with its poles and pegs included.",
  "Please send the broken zip to our workshop in Zurich for a free repair.",
  "The jacket is made of recycled wool that comes from Italian mills.",
  "Gift cards are valid for three years after you bought them online.",
  "Our support team answers the phone from eight until six on weekdays.",
  "The boots run small, so order one size larger than you usually wear.",
  "You earn one point for each franc that you spend with us.",
  "The stove burns gas from any cartridge with a screw valve.",
  "Members pay nothing for delivery when the order is above fifty francs.",
  "Rope that took a hard fall should be replaced before you climb again.",
  "The lamp lasts forty hours on its lowest level between two charges.",
  "Children under twelve need the smaller helmet with the red strap.",
  "We price match any shop whose offer you can show us today.",
  "The mattress packs into a bag as small as a bottle of water.",
  "Order before noon and the parcel leaves our warehouse that afternoon.",
  "The compass has a mirror for sighting and glows after dark.",
];
const floors = floorsOf(REFERENCES);
const answer = (content: string) => ({ content, finishReason: "stop" as const });
const decide = (reference: string, given: string) => decideRight(reference, answer(given), floors);

test("the floor lies above what answers to other questions have in common", () => {
  expect(floors).toMatchObject([{ language: null, n: 20 }]);
  const { floor, others } = floors[0]!;
  expect(floor).toBeGreaterThanOrEqual(0.3);
  expect(floor).toBeLessThan(0.7);
  expect(others.reduce((sum, count) => sum + count, 0)).toBe(20);
});

test("an answer about something else is not right, whatever its language", () => {
  expect(decide(REFERENCES[0]!, REFERENCES[1]!)).toEqual({ right: false, by: "unlike" });
});

test("the reference is right in other case and white space, and a close answer without a false fact is similar", () => {
  expect(decide(REFERENCES[3]!, `  ${REFERENCES[3]!.toUpperCase()}`)).toEqual({ right: true, by: "match" });
  expect(decide(REFERENCES[3]!, "We ship to Norway for 12 francs, and it takes about one week.")).toEqual({
    right: true,
    by: "similar",
  });
});

test("a close answer with another number, or that denies what the reference says, is not right", () => {
  for (const wrong of [
    "We ship to Norway for 21 francs, which takes about a week.",
    "We do not ship to Norway for 12 francs, which takes about a week.",
  ]) {
    expect(decide(REFERENCES[3]!, wrong)).toEqual({ right: false, by: "contradicts" });
  }
  expect(contradictsNothing("Das geht nicht.", "Das geht.")).toBe(false);
  expect(contradictsNothing("See https://shop.example/a.", "It is at https://shop.example/a")).toBe(true);
  expect(contradictsNothing("It arrives on 2026-03-04.", "It arrives on 2026-04-03.")).toBe(false);
});

test("the answer to another question is not right, however few references there are", () => {
  const few = REFERENCES.slice(0, 2);
  expect(decideRight(few[0]!, answer(few[1]!), [], few)).toEqual({ right: false, by: "another" });
  expect(decideRight(few[0]!, answer("You can try it on in Bern."), [], few)).toBeNull();
});

test("without a reference, or with too few to know what similar means, nothing is decided", () => {
  expect(decideRight(null, answer("Yes"), floors)).toBeNull();
  expect(decideRight(REFERENCES[0]!, answer("Yes"), floorsOf(REFERENCES.slice(0, 19)))).toBeNull();
  expect(decideRight(REFERENCES[0]!, answer(REFERENCES[0]!), [])).toEqual({ right: true, by: "match" });
});
