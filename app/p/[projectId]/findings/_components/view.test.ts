import { expect, test } from "vitest";
import { eventHref, isFiltered, listInput, loadView, TABS } from "./view";

const inputOf = async (search: string) => listInput("prj_1", await loadView(new URLSearchParams(search)), 0);

test('"unresolved" includes Findings without a resolution', async () => {
  for (const search of ["tab=all&resolution=unresolved", "tab=dismissed&resolution=unresolved", "tab=open"]) {
    expect(await inputOf(search)).toMatchObject({ resolutionStatus: ["unresolved", "none"] });
  }
  expect(await inputOf("tab=all&resolution=resolved")).toMatchObject({ resolutionStatus: ["resolved"] });
  expect(await inputOf("tab=all")).not.toHaveProperty("resolutionStatus");
});

test("a tab that implies a resolution ignores the resolution filter", async () => {
  for (const { value, input } of TABS) {
    if (!("resolutionStatus" in input)) continue;
    expect(await inputOf(`tab=${value}&resolution=resolved`)).toMatchObject({
      resolutionStatus: input.resolutionStatus,
    });
  }
});

test("what happened since a time is a filter, which a link to it contains", async () => {
  const url = new URL(eventHref("prj_1", "regressed", 1_795_000_000_000), "http://here.invalid");
  expect(url.pathname).toBe("/p/prj_1/findings");
  expect(await inputOf(url.search)).toMatchObject({ event: "regressed", eventAfter: 1_795_000_000_000 });
  expect(isFiltered(await loadView(url.searchParams))).toBe(true);
  expect(await inputOf("event=merged&since=-1")).not.toHaveProperty("event");
});
