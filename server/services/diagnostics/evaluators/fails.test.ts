import { expect, test } from "vitest";
import { fails } from "./fails";

test("a score fails strictly beyond its limit, a label by its name, and what is of another kind neither fails nor passes", () => {
  const score = (value: number) => ({ kind: "score", value }) as const;
  expect([0.4, 0.5, 0.6].map((value) => fails(score(value), { below: 0.5 }))).toEqual([true, false, false]);
  expect([0.4, 0.5, 0.6].map((value) => fails(score(value), { above: 0.5 }))).toEqual([false, false, true]);
  expect(["rude", "kind"].map((value) => fails({ kind: "comment", value }, { labels: ["rude"] }))).toEqual([
    true,
    false,
  ]);
  expect(fails(score(0), { labels: ["0"] })).toBeNull();
  expect(fails({ kind: "thumb", value: "down" }, { labels: ["down"] })).toBeNull();
  expect(fails({ kind: "comment", value: "rude" }, { below: 0.5 })).toBeNull();
});
