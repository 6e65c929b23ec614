import { expect, test } from "vitest";
import { type Usage, usedElsewhere } from "./view";

test("versions that calls name and the prompt lacks are told apart from its own", () => {
  const usage = ["1", "3", "4", "03", "v1", "c0ffee", null].map((version) => ({ version }) as Usage);
  expect(usedElsewhere(usage, 3).map(({ version }) => version)).toEqual(["4", "03", "v1", "c0ffee", null]);
});
