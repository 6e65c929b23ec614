import { expect, test } from "vitest";
import { randomFrom } from "@/db/testing/random";
import { judgeTraits, type TraitCount } from "./judge-traits";

const model = (value: string | null, affected: number, others: number): TraitCount => ({
  dimension: "model",
  value,
  affected,
  others,
});
const names = (traits: ReturnType<typeof judgeTraits>["inCommon"]) => traits.map(({ value }) => value);

test("a value that all affected conversations have and few others is in common, with both shares", () => {
  const counts = [model("gpt-4.1-nano", 14, 35), model("gpt-4o", 0, 351)];
  const { inCommon, weaker } = judgeTraits(counts, { affected: 14, others: 386 });
  expect(inCommon).toMatchObject([
    {
      dimension: "model",
      value: "gpt-4.1-nano",
      affected: { affected: 14, conversations: 14, interval: { rate: 1 } },
      others: { affected: 35, conversations: 386 },
    },
  ]);
  expect(weaker).toEqual([]);
});

test("the more values could have been found, the more a value takes", () => {
  const groups = { affected: 3, others: 400 };
  const others = (count: number) => Array.from({ length: count }, (_, n) => model(`m${n}`, 0, 3));
  expect(names(judgeTraits([model("a", 3, 40), ...others(30)], groups).inCommon)).toEqual(["a"]);
  const many = judgeTraits([model("a", 3, 40), ...others(60)], groups);
  expect(names(many.inCommon)).toEqual([]);
  expect(names(many.weaker)).toEqual(["a"]);
  // Values of one conversation could not have been found, so they make nothing harder.
  const rare = Array.from({ length: 1000 }, (_, n) => model(`user-${n}`, 0, 1));
  expect(names(judgeTraits([model("a", 3, 40), ...rare], groups).inCommon)).toEqual(["a"]);
});

test("what is rarer among the affected, what two have, and what all have is not in common", () => {
  const groups = { affected: 50, others: 500 };
  const counts = [model("rarer", 1, 300), model("two", 2, 0), model("everywhere", 50, 500), model(null, 40, 20)];
  const { inCommon, weaker } = judgeTraits(counts, groups);
  expect(names(inCommon)).toEqual([null]);
  expect(weaker).toEqual([]);
});

test("a Finding without a cause gets one in at most 5 % of cases", () => {
  const random = randomFrom(7);
  const [values, all, groups] = [60, 300, { affected: 20, others: 280 }];
  let named = 0;
  const runs = 150;
  for (let run = 0; run < runs; run++) {
    const counts = Array.from({ length: values }, (_, n) => {
      const rate = ((n % 9) + 1) / 20;
      const has = Array.from({ length: all }, () => random() < rate);
      const affected = has.slice(0, groups.affected).filter(Boolean).length;
      return model(`m${n}`, affected, has.filter(Boolean).length - affected);
    });
    if (judgeTraits(counts, groups).inCommon.length > 0) named += 1;
  }
  expect(named / runs).toBeLessThanOrEqual(0.05);
});
