import { describe, expect, test } from "vitest";
import { compileExpression, keyOf, matches, numberOf } from "./expressions";

const scope = {
  event: { data: { id: 1, name: "it's", list: [1, 2], nested: { deep: "x" }, projectId: "prj_1" } },
  async: { data: { id: 1 } },
};

describe("expressions", () => {
  test.each([
    ["event.data.id == async.data.id", true],
    ["event.data.id == 2", false],
    ['event.data.name == "it\'s"', true],
    ["event.data.nested.deep == 'x' && event.data.id > 0", true],
    ["has(event.data.missing)", false],
    ["size(event.data.list) == 2", true],
    ["event.data.id in [1, 2]", true],
    ["event.data['id'] == 1", true],
    ["!(event.data.id == 1)", false],
    ["event.data.missing == 1", false],
    ["event.data.missing.deeper != 1", false],
    ["event.data.name", false],
    ["event.data.name.startsWith('it')", true],
    ["event.data.list.all(x, x > 1)", false],
    ["event.data.id in [1, 'x']", true],
    ["event.data.trueName == 'x'", false],
  ])("%s is %s", (source, expected) => {
    expect(matches(compileExpression(source), scope)).toBe(expected);
  });

  test.each([
    ["lower(event.data.name) == 'x'", "lower"],
    ["event.data.name.shout()", "shout"],
    ["user.id == 1", "user"],
    ["event.data.id § 1", "§"],
    ["event.data.id ==", "is not supported"],
    ["event.data.name == 'open", "is not supported"],
    ["event.data.id = 1", "is not supported"],
  ])("%s is refused: %s", (source, why) => {
    expect(() => compileExpression(source)).toThrow(why);
  });

  test("a key is the value as JSON, and a missing value is `null`", () => {
    expect(keyOf(compileExpression("event.data.projectId"), scope)).toBe('"prj_1"');
    expect(keyOf(compileExpression("event.data.missing"), scope)).toBe("null");
    expect(keyOf(undefined, scope)).toBe("");
  });

  test("a number is clamped to its bounds, and is 0 where it cannot be computed", () => {
    expect(numberOf(compileExpression("event.data.id == 1 ? 9999 : 0"), scope, -600, 600)).toBe(600);
    expect(numberOf(compileExpression("event.data.id == 1 ? -120 : 0"), scope, -600, 600)).toBe(-120);
    expect(numberOf(compileExpression("event.data.missing"), scope, -600, 600)).toBe(0);
    expect(numberOf(compileExpression("event.data.name"), scope, -600, 600)).toBe(0);
  });
});
