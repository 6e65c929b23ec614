import { expect, test } from "vitest";
import { changeWords, isLinked } from "./ticket-words";

const change = { reason: null, state: "done", error: null } as const;

test("the sync log says what was done to a ticket, and what was seen there", () => {
  expect(changeWords({ ...change, kind: "create", reason: "handed_off" })).toBe("Created the ticket");
  expect(changeWords({ ...change, kind: "reopen", reason: "regressed" })).toBe("Reopened it: seen again");
  expect(changeWords({ ...change, kind: "seen_closed" })).toBe("Closed there");
});

test("the sync log says what was not done, and why", () => {
  const comment = { ...change, kind: "comment", reason: "dismissed" } as const;
  expect(changeWords({ ...comment, state: "failed", error: "GitHub said no." })).toBe(
    "Comment: dismissed here – not sent: GitHub said no.",
  );
  expect(changeWords({ ...comment, state: "queued" })).toBe("Comment: dismissed here – queued");
  expect(changeWords({ ...comment, state: "skipped" })).toBe("Comment: dismissed here – no longer needed");
});

test("a work item that was replaced or abandoned is history", () => {
  expect((["pending", "open", "closed", "failed"] as const).every((state) => isLinked({ state }))).toBe(true);
  expect((["replaced", "abandoned"] as const).some((state) => isLinked({ state }))).toBe(false);
});
