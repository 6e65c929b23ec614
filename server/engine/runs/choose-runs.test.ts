import { expect, test } from "vitest";
import { chooseRuns } from "./choose-runs";

const run = (id: string, projectId: string, queueAt: number, ...keys: [string, number][]) => ({
  id,
  projectId,
  queueAt,
  concurrencyKeys: keys.map(([key, limit]) => ({ key, limit })),
});
const ids = (chosen: { id: string }[]) => chosen.map(({ id }) => id);

test("projects take turns, the one with the earliest run first", () => {
  const waiting = [run("a1", "a", 1), run("a2", "a", 2), run("a3", "a", 3), run("b1", "b", 9)];
  expect(ids(chooseRuns(waiting, [], 3))).toEqual(["a1", "b1", "a2"]);
});

test("a project with running runs comes after one without", () => {
  const waiting = [run("a1", "a", 1), run("b1", "b", 9)];
  expect(ids(chooseRuns(waiting, [run("a0", "a", 0)], 1))).toEqual(["b1"]);
});

test("a run whose key is full is skipped, counting running and just chosen runs", () => {
  const waiting = [run("a1", "a", 1, ["k", 2]), run("a2", "a", 2, ["k", 2]), run("a3", "a", 3, ["other", 1])];
  expect(ids(chooseRuns(waiting, [run("x", "b", 0, ["k", 2])], 9))).toEqual(["a1", "a3"]);
});

test("a run with several keys needs room in each of them", () => {
  const waiting = [run("a1", "a", 1, ["k", 5], ["l", 1]), run("a2", "a", 2, ["k", 5])];
  expect(ids(chooseRuns(waiting, [run("x", "b", 0, ["l", 1])], 9))).toEqual(["a2"]);
});
