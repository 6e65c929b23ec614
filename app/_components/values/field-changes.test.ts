import { expect, test } from "vitest";
import { fieldChanges } from "./field-changes";

const changes = (...args: Parameters<typeof fieldChanges>) =>
  fieldChanges(...args).map(({ path, kind, before, after }) => [path, kind, before, after]);

test("a change is listed field by field, with unchanged fields last", () => {
  expect(
    changes(
      { days: 30, role: "owner", from: { id: "u", role: "owner" } },
      { days: 30, role: "viewer", from: { id: "u", role: null } },
    ),
  ).toEqual([
    ["role", "changed", "owner", "viewer"],
    ["from.role", "changed", "owner", null],
    ["days", "same", 30, 30],
    ["from.id", "same", "u", "u"],
  ]);
});

test("added and removed fields are marked; lists and empty records are one value", () => {
  expect(changes(null, { capabilities: ["a", "b"], options: {} })).toEqual([
    ["capabilities", "added", undefined, ["a", "b"]],
    ["options", "added", undefined, {}],
  ]);
  expect(changes({ capabilities: ["a"], expiresAt: null }, { capabilities: ["a", "b"] })).toEqual([
    ["capabilities", "changed", ["a"], ["a", "b"]],
    ["expiresAt", "removed", null, undefined],
  ]);
  expect(changes(null, null)).toEqual([]);
});
