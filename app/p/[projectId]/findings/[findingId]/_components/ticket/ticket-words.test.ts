import { expect, test } from "vitest";
import { changeWords, isLinked, mayRetry, retriedWords } from "./ticket-words";

const change = { reason: null, state: "done", error: null } as const;

test("the sync log describes what was done to a ticket and what was seen in the tracker", () => {
  expect(changeWords({ ...change, kind: "create", reason: "handed_off" })).toBe("Created the ticket");
  expect(changeWords({ ...change, kind: "reopen", reason: "regressed" })).toBe("Reopened it: seen again");
  expect(changeWords({ ...change, kind: "seen_closed" })).toBe("Closed in the tracker");
});

test("the sync log describes changes that were not sent", () => {
  const comment = { ...change, kind: "comment", reason: "dismissed" } as const;
  expect(changeWords({ ...comment, state: "failed", error: "GitHub said no." })).toBe(
    "Comment: dismissed here – not sent: GitHub said no.",
  );
  expect(changeWords({ ...comment, state: "queued" })).toBe("Comment: dismissed here – queued");
  expect(changeWords({ ...comment, state: "skipped" })).toBe("Comment: dismissed here – no longer needed");
});

test("replaced and abandoned work items do not count as linked", () => {
  expect((["pending", "open", "closed", "failed"] as const).every((state) => isLinked({ state }))).toBe(true);
  expect((["replaced", "abandoned"] as const).some((state) => isLinked({ state }))).toBe(false);
});

test("failures can be retried, unless the ticket was deleted in the tracker", () => {
  const failed = { kind: "comment", state: "failed" } as const;
  expect(mayRetry({ state: "failed", externalId: null }, [])).toBe(true);
  expect(mayRetry({ state: "failed", externalId: "12" }, [failed])).toBe(false);
  expect(mayRetry({ state: "open", externalId: "12" }, [failed])).toBe(true);
  expect(mayRetry({ state: "open", externalId: "12" }, [{ kind: "create", state: "failed" }])).toBe(false);
});

test("the message after a retry describes its result", () => {
  const item = { state: "failed", externalKey: null, destination: "acme/shop" } as const;
  expect(retriedWords(item, "acme/shop#12")).toBe("Created acme/shop#12");
  expect(retriedWords(item, null)).toBe("Queued the ticket in acme/shop: the tracker has not replied yet");
  expect(retriedWords({ ...item, state: "open", externalKey: "ENG-1" }, "ENG-1")).toBe("Retried the changes to ENG-1");
});
