import { expect, test } from "vitest";
import { RULES as BUILT_IN } from "@/server/services/diagnostics/rules";
import { RULES } from "../../_components/findings/rule-words";
import { listInput, loadView, TABS } from "./view";

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

test("the Rule filter lists every built-in Rule by name", () => {
  expect(RULES).toEqual(BUILT_IN.map(({ id, name }) => ({ value: id, label: name })));
});
