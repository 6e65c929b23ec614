import { expect, test } from "vitest";
import { Silences } from "./silences";

const look = (at: number, hasAnswered: boolean, isAllThere = true) => ({ id: "dep_1", at, hasAnswered, isAllThere });

test("a silence lasts from the first missing reply until the next reply", () => {
  const silences = new Silences();
  silences.look(0, [look(0, true)]);
  silences.look(100, [look(100, false)]);
  silences.look(200, [look(200, false)]);
  expect(silences.all(250)).toEqual([{ id: "dep_1", ms: 150 }]);
  silences.look(300, [look(300, true)]);
  expect(silences.all(900)).toEqual([{ id: "dep_1", ms: 200 }]);
});

test("a silence ends when the deployment is no longer reported as running", () => {
  const silences = new Silences();
  silences.look(100, [look(100, false)]);
  silences.look(400, []);
  expect(silences.all(900)).toEqual([{ id: "dep_1", ms: 300 }]);
});

test("no silence is counted while the app or the trainer is away", () => {
  const silences = new Silences();
  silences.look(100, [look(100, false, false)]);
  silences.look(200, [look(200, false, false)]);
  silences.look(300, [look(300, true)]);
  expect(silences.all(900)).toEqual([]);
});
