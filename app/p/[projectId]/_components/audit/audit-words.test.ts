import { expect, test } from "vitest";
import { OPERATIONS } from "@/server/rest/operations";
import { actionWords } from "./audit-words";

test("the audit log has a description for every /v1 operation that changes something", () => {
  const unsaid = OPERATIONS.flatMap((operation) => ("verb" in operation ? [operation.verb.spec] : []))
    .filter(({ effect }) => effect !== "read")
    .map(({ name }) => name)
    .filter((name) => actionWords(name).includes(":"));
  expect(unsaid).toEqual([]);
  expect(actionWords("apiKeys.create")).toBe("Created the API key");
  expect(actionWords("things.mend")).toBe("Things: mend");
});
