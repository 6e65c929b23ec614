import { readFile } from "node:fs/promises";
import { newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

const TALKS = [
  { id: "dear", model: "gpt-4o", ask: "Can I return it?", answer: "Yes, within 30 days.", turns: 3, labels: ["web"] },
  { id: "cheap", model: "gpt-4o-mini", ask: "Where is it?", answer: "On its way.", labels: ["web"] },
];

test("a chart is made, downloaded as numbers and as an image, and pinned to Home in an order of one's own", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const project = await newProject(baseURL!);
  await seed(project, TALKS);
  await signIn(page, project);
  const charts = `${project.url}/p/${project.projectId}/charts`;
  await page.goto(`${charts}?measure=cost&by=model`);
  const cost = page.getByRole("region", { name: /^Cost/ });
  await expect(cost.getByRole("list", { name: "Colours" })).toContainText("gpt-4o-mini");

  const share = page.getByRole("button", { name: "Share" });
  const downloaded = async (item: string) => {
    await share.click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: item }).click(),
    ]);
    return readFile(await file.path());
  };
  expect((await downloaded("Download numbers (CSV)")).toString()).toContain("gpt-4o-mini");
  // The signature with which a PNG file begins.
  expect((await downloaded("Download image (PNG)")).subarray(1, 4).toString()).toBe("PNG");

  const pin = async (address: string, name: string) => {
    await page.goto(address);
    await page.getByRole("button", { name: "Pin to Home" }).click();
    const dialog = page.getByRole("dialog", { name: "Pin to Home" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Save and pin" }).click();
    await expect(page.getByRole("button", { name: "Pin to Home" })).toHaveAttribute("aria-pressed", "true");
  };
  await pin(`${charts}?measure=cost&by=model`, "Cost by model");
  await pin(`${charts}?measure=conversations`, "Conversations");
  await page.goto(`${project.url}/p/${project.projectId}`);
  const pinned = page.getByRole("list", { name: "Pinned charts" });
  const names = pinned.getByRole("link");
  await expect(names).toHaveText(["Cost by model", "Conversations"]);
  await pinned.getByRole("button", { name: "Move up “Conversations”" }).click();
  await expect(names).toHaveText(["Conversations", "Cost by model"]);
  await page.reload();
  await expect(names).toHaveText(["Conversations", "Cost by model"]);
  await pinned.getByRole("button", { name: "Unpin “Conversations”" }).click();
  await expect(names).toHaveText(["Cost by model"]);
  await names.click();
  await expect(page).toHaveURL(/measure=cost/);
  await expect(page.getByRole("button", { name: "Pin to Home" })).toHaveAttribute("aria-pressed", "true");
});
