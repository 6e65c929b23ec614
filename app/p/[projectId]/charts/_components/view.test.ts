import { expect, test } from "vitest";
import { DAY_MS } from "@/server/platform/durations";
import { wholeSteps } from "@/server/services/charts/steps";
import { inLines } from "./png";
import { chartInput, frozenHref, loadView, stepHref, stepOf, stepsOf } from "./view";

const NOW = Date.UTC(2026, 10, 28, 9);
const TODAY = Date.UTC(2026, 10, 28);
const viewOf = (search: string) => loadView(new URLSearchParams(search));

test("every step that can be chosen for a time is one that the server accepts", () => {
  for (const range of ["7d", "30d", "90d", "365d"]) {
    const view = viewOf(`range=${range}`);
    for (const step of stepsOf(view, NOW)) {
      const { from, to } = chartInput("p", view, NOW);
      expect(wholeSteps({ from, to }, step).at.length).toBeGreaterThan(0);
    }
  }
  expect(stepOf(viewOf("range=90d&step=hour"), NOW)).toBe("day");
  expect(stepOf(viewOf("range=7d&step=hour"), NOW)).toBe("hour");
  expect(stepOf(viewOf("range=365d"), NOW)).toBe("week");
});

test("a copied link shows the same days whenever it is opened", () => {
  const view = viewOf("measure=cost&range=7d&model=a&model=b");
  const opened = viewOf(frozenHref("p", view, NOW).split("?")[1] ?? "");
  const later = NOW + 90 * DAY_MS;
  expect(chartInput("p", opened, later)).toEqual(chartInput("p", view, NOW));
});

test("the query has the filters of the list of conversations, the subject of its measure, and a group that it has", () => {
  const view = viewOf("measure=finding_share&of=fnd_1&by=label&errors=true&minSeconds=2&user=ann");
  expect(chartInput("p", view, NOW)).toEqual({
    projectId: "p",
    measure: "finding_share",
    ofFinding: "fnd_1",
    group: "label",
    step: "day",
    hasErrors: true,
    minDurationMs: 2000,
    userId: "ann",
    from: TODAY - 29 * DAY_MS,
    to: TODAY + DAY_MS,
  });
  expect(chartInput("p", viewOf("measure=calls&by=finding&of=fnd_1"), NOW)).not.toHaveProperty("group");
  expect(chartInput("p", viewOf("measure=occurrences&by=finding"), NOW)).toMatchObject({ group: "finding" });
});

test("a step leads to its conversations, with the chart's filters", () => {
  const view = viewOf("measure=failing_share&label=eu");
  const href = stepHref("p", view, { step: "day" }, TODAY, NOW);
  expect(Object.fromEntries(new URLSearchParams(href.split("?")[1]))).toEqual({
    label: "eu",
    findings: "true",
    range: "custom",
    from: String(TODAY),
    to: String(TODAY + DAY_MS),
  });
});

test("a legend that is wider than its chart takes several lines", () => {
  const legend = ["a", "b", "c"].map((label) => ({ label, color: "red" }));
  expect(inLines(legend, 100, () => 30).map(({ x, line }) => [x, line])).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
  ]);
  expect(inLines(legend, 130, () => 30).map(({ line }) => line)).toEqual([0, 0, 1]);
});
