import { expect, test } from "vitest";
import { pathOf, safeNext } from "./safe-next";

test("sign-in redirects only to pages of this installation", () => {
  expect(safeNext("/p/prj_1/findings?tab=all")).toBe("/p/prj_1/findings?tab=all");
  expect(safeNext(pathOf("https://ours.test/p/prj_1/findings?tab=all"))).toBe("/p/prj_1/findings?tab=all");
  for (const bad of [
    undefined,
    "",
    "https://evil.test",
    "https://ours.test//evil.test",
    "//evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "/\t/evil.test",
    "/\n/evil.test",
    "/\r\n/evil.test",
    "/.//evil.test",
    "/p/..//evil.test",
    "/%2e//evil.test",
    "///evil.test",
    "/\t\\evil.test",
    " //evil.test",
    "//user@evil.test",
    "javascript:alert(1)",
    "data:text/html,x",
  ]) {
    for (const went of [safeNext(bad), safeNext(pathOf(bad))]) {
      expect(new URL(went, "https://ours.test").host, String(bad)).toBe("ours.test");
      expect(went, String(bad)).toMatch(/^\/(?!\/)/);
    }
  }
});
