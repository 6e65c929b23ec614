import { expect, test } from "vitest";
import { safeNext } from "./safe-next";

test("signing in leads to a page of ours only", () => {
  expect(safeNext("/p/prj_1/findings?tab=all")).toBe("/p/prj_1/findings?tab=all");
  for (const bad of [undefined, "", "https://evil.test", "//evil.test", "/\\evil.test", "javascript:alert(1)"]) {
    expect(safeNext(bad)).toBe("/");
  }
});
