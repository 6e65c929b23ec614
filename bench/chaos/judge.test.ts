import { expect, test } from "vitest";
import { type Evidence, judge } from "./judge";

const SPANS = ["t1/a", "t1/b", "t2/a"];
const job = { id: "job_1", functionId: "run-rules", eventId: "evt_1", state: "completed", runIds: ["run_1"] };
const run = { id: "run_1", rule: "tool-failure@1", conversation: "con_1", activity: "1", status: "completed" };
const occurrence = { findingId: "fnd_1", session: "s1" };
const faultless: Evidence = {
  acknowledged: SPANS,
  sent: new Set([...SPANS, "t3/a"]),
  stored: SPANS,
  calls: SPANS,
  asked: [{ key: "k1", runIds: ["run_1"] }],
  unanswered: 0,
  audited: 1,
  runs: [run],
  jobs: [job],
  sessions: new Set(["s1"]),
  occurrences: [occurrence],
  findings: ["fnd_1"],
  miscounted: [],
  open: [],
  givenUp: [],
  refused: [],
  notBack: [],
};
const broken = (change: Partial<Evidence>) =>
  judge({ ...faultless, ...change })
    .filter(({ breaches }) => breaches.length > 0)
    .map(({ claim }) => claim);

test("a correct product passes, even with a batch that was stored without a response", () => {
  expect(broken({})).toEqual([]);
  expect(broken({ stored: [...SPANS, "t3/a"], calls: [...SPANS, "t3/a"] })).toEqual([]);
  expect(broken({ unanswered: 1, audited: 2 })).toEqual([]);
});

test.each<[string, Partial<Evidence>, string]>([
  ["an acknowledged span is not there", { stored: SPANS.slice(1), calls: SPANS.slice(1) }, "0 acknowledged spans lost"],
  ["a span is there twice", { stored: [...SPANS, "t1/a"] }, "0 spans doubled"],
  ["a span came from nowhere", { stored: [...SPANS, "x/x"], calls: [...SPANS, "x/x"] }, "0 spans that nobody sent"],
  ["a stored call cannot be read", { calls: SPANS.slice(1) }, "every stored call is readable"],
  ["a call is read twice", { calls: [...SPANS, "t1/a"] }, "0 calls doubled"],
  ["a Run that was asked for is not there", { runs: [] }, "0 background runs lost"],
  ["a Run never ended", { runs: [{ ...run, status: "running" }] }, "0 background runs lost"],
  ["a job died", { jobs: [{ ...job, state: "failed" }] }, "0 background runs lost"],
  ["a Run is there twice", { runs: [run, { ...run, id: "run_2" }] }, "0 background runs doubled"],
  ["an event was executed twice", { jobs: [job, { ...job, id: "job_2", runIds: [] }] }, "0 background runs doubled"],
  ["a Run was executed for two events", { jobs: [job, { ...job, eventId: "evt_2" }] }, "0 background runs doubled"],
  ["a repeated request happened twice", { audited: 2 }, "every answered request happened once"],
  ["an answered request did not happen", { audited: 0 }, "every answered request happened once"],
  [
    "one cause made two Findings",
    { findings: ["fnd_1", "fnd_2"] },
    "one cause is one Finding, shown once for each conversation",
  ],
  [
    "a Finding shows twice",
    { occurrences: [occurrence, occurrence] },
    "one cause is one Finding, shown once for each conversation",
  ],
  ["a conversation was never read", { occurrences: [] }, "one cause is one Finding, shown once for each conversation"],
  [
    "a counter is off by one",
    { miscounted: ["con_1: model_call_count 2, recounted 3"] },
    "counters are what a recount gives",
  ],
  ["something never came to rest", { open: ["1 trace is parked"] }, "everything came to rest"],
  ["an exporter dropped a batch", { refused: ["batch t9: 500"] }, "no answer made an exporter drop what it has"],
  ["nobody answered", { givenUp: ["batch t9"] }, "every request was answered within its sender's patience"],
  ["a process stayed away", { notBack: ["kill 3 (web)"] }, "came back by itself after every kill"],
])("detects that %s", (_, change, claim) => {
  expect(broken(change)).toEqual([claim]);
});
