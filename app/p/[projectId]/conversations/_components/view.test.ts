import { expect, test } from "vitest";
import { chosenFilters, fileHref, findingHref, isFiltered, labelHref, listInput, loadView, searchOf } from "./view";

const viewOf = async (search: string) => loadView(new URLSearchParams(search));

test("a label in the URL filters the list, and an empty one does not", async () => {
  const view = await viewOf("label=vip%2C%20old");
  expect(listInput("p", view, 0)).toMatchObject({ label: ["vip, old"] });
  expect(isFiltered(view)).toBe(true);
  expect(await viewOf(labelHref("p", "vip, old").split("?")[1]!)).toEqual(view);
  const none = await viewOf("label=");
  expect(listInput("p", none, 0)).not.toHaveProperty("label");
  expect(isFiltered(none)).toBe(false);
});

test("hasUser=false in the URL filters for conversations without a user", async () => {
  const view = await viewOf("hasUser=false");
  expect(listInput("p", view, 0)).toMatchObject({ hasUser: false });
  expect(chosenFilters(view)).toEqual([{ id: "hasUser", text: "No user", without: { hasUser: null } }]);
  expect(searchOf(view)).toBe("?hasUser=false");
});

test("the downloaded file has the filters of the list", async () => {
  const view = await viewOf("model=gpt-4o&model=acme,1&errors=false&sort=-cost&peek=conv_1");
  expect(fileHref("prj_1", view, 0, "jsonl")).toBe(
    "/v1/projects/prj_1/conversation-export?model=gpt-4o&model=acme%2C1&hasErrors=false&format=jsonl",
  );
});

test("ranges in the URL filter the list, by milliseconds where the page has seconds, and have a chip each", async () => {
  const view = await viewOf("minCost=0.05&minSeconds=1.5&maxSeconds=60&feedback=true");
  expect(listInput("p", view, 0)).toMatchObject({
    minCost: 0.05,
    minDurationMs: 1500,
    maxDurationMs: 60_000,
    hasFeedback: true,
  });
  expect(chosenFilters(view).map(({ text }) => text)).toEqual([
    "With feedback",
    "Cost: at least $0.05",
    "Duration: at least 1.5 s, at most 60 s",
  ]);
  expect(searchOf({ ...view, ...chosenFilters(view)[2]!.without })).toBe("?feedback=true&minCost=0.05");
  expect(listInput("p", await viewOf("minCost=-1&maxCost=x"), 0)).not.toHaveProperty("minCost");
});

test("a Finding in the URL filters the list, and its chip has the Finding's title", async () => {
  const view = await viewOf(findingHref("p", "fnd_1").split("?")[1]!);
  expect(listInput("p", view, 0)).toMatchObject({ findingId: "fnd_1" });
  expect(chosenFilters(view)).toMatchObject([{ text: "Finding: fnd_1" }]);
  expect(chosenFilters(view, { findingTitle: "An answer is empty" })).toEqual([
    { id: "finding", text: "Finding: An answer is empty", without: { finding: null } },
  ]);
});

test("several values of a filter are repeated parameters, each with its own chip", async () => {
  const view = await viewOf("model=gpt-4o&model=acme,1&label=vip&errors=false");
  expect(listInput("p", view, 0)).toMatchObject({ model: ["gpt-4o", "acme,1"], label: ["vip"], hasErrors: false });
  const chips = chosenFilters(view);
  expect(chips.map(({ text }) => text)).toEqual(["Without errors", "Model: gpt-4o", "Model: acme,1", "Label: vip"]);
  expect(chips[1]!.without).toEqual({ model: ["acme,1"] });
  expect(searchOf({ ...view, ...chips[1]!.without })).toBe("?model=acme,1&label=vip&errors=false");
});
