import { expect, test } from "vitest";
import { isFiltered, labelHref, listInput, loadView } from "./view";

const viewOf = async (search: string) => loadView(new URLSearchParams(search));

test("a label in the address filters, an empty one does not", async () => {
  const view = await viewOf("label=vip%2C%20old");
  expect(listInput("p", view, 0)).toMatchObject({ label: "vip, old" });
  expect(isFiltered(view)).toBe(true);
  expect(await viewOf(labelHref("p", "vip, old").split("?")[1]!)).toEqual(view);
  const none = await viewOf("label=");
  expect(listInput("p", none, 0)).not.toHaveProperty("label");
  expect(isFiltered(none)).toBe(false);
});
