import { expect, test } from "vitest";
import { countOf, listInput, loadView, peekHref } from "./view";

const counts = {
  queued: 2,
  running: 1,
  retrying: 0,
  sleeping: 0,
  waiting: 0,
  completed: 40,
  failed: 9,
  cancelled: 1,
};
const summary = {
  engine: "embedded" as const,
  dashboardUrl: null,
  engineChange: null,
  counts,
  oldestDueAt: null,
  functions: [],
};

test("a count that reached its limit is marked", () => {
  const counted = (countedUpTo: number, state: Parameters<typeof countOf>[1]) =>
    countOf({ ...summary, countedUpTo }, state);
  expect(counted(100, null)).toEqual({ count: 53, andMore: false });
  expect(counted(10, "failed")).toEqual({ count: 9, andMore: true });
  expect(counted(10, "queued")).toEqual({ count: 2, andMore: false });
  expect(counted(3, "queued")).toEqual({ count: 2, andMore: true });
  expect(counted(50, "completed")).toEqual({ count: 40, andMore: true });
});

test("filters are read from the URL, and unknown values are ignored", async () => {
  const view = loadView("?state=failed&function=whetstone-run-rules");
  expect(listInput("prj_1", view)).toMatchObject({ state: "failed", functionId: "whetstone-run-rules" });
  expect(peekHref(view, "jr_1")).toBe("?state=failed&function=whetstone-run-rules&peek=jr_1");
  expect(listInput("prj_1", loadView("?state=nonsense&function="))).toEqual({ projectId: "prj_1", limit: 100 });
});
