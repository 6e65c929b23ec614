import { expect, test } from "vitest";
import { chosenOf, countedHref, loadView, versionsHref } from "./view";
import { differenceLimits, differenceWords, limitsWords } from "./words";

const listed = ["web 9", "shop 2.5.0", "web 8", "shop 2.4.0"].map((value) => ({ value }));
const view = (search: string) => loadView(new URLSearchParams(search));

test("the newest version is compared with the one before it of the same service, unless the URL says otherwise", async () => {
  expect(chosenOf(await view(""), listed)).toEqual({ compared: "web 9", baseline: "web 8" });
  const named = await view(versionsHref("p", { compared: "shop 2.5.0" }).split("?")[1]!);
  expect(chosenOf(named, listed)).toEqual({ compared: "shop 2.5.0", baseline: "shop 2.4.0" });
  expect(chosenOf(await view("baseline=shop+2.4.0&compared=web+8"), listed)).toEqual({
    compared: "web 8",
    baseline: "shop 2.4.0",
  });
  expect(chosenOf(await view("by=model"), listed)).toEqual({ compared: "web 9", baseline: "shop 2.5.0" });
  expect(chosenOf(await view(""), listed.slice(0, 1))).toBeNull();
});

test("a number of a row leads to the conversations that were counted", async () => {
  const of = await view("range=7d");
  expect(countedHref("prj_1", of, "shop 2.5.0", { errors: true })).toBe(
    "/p/prj_1/conversations?version=shop+2.5.0&errors=true&range=7d",
  );
});

test("differences are in points, dollars or percent, with their sign", () => {
  expect(differenceWords("errors", { value: 0.024 })).toBe("+2.4 points");
  expect(differenceWords("cost", { value: -0.004 })).toBe("−$0.0040");
  expect(differenceWords("latency", { value: 0.31 })).toBe("+31%");
  expect(differenceWords("errors", { value: 0.00001 })).toBe("0 points");
  expect(differenceLimits("finding", { low: -0.2, high: 0.012 })).toBe("−20 points to +1.2 points");
  expect(limitsWords("latency", { low: 800, high: null })).toBe("800 ms to ?");
});
