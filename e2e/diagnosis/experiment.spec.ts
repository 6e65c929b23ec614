import { newProject } from "../../testbed/data/project";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

test("a variant is tried on a share of an alias's conversations by keyboard, whose share is changed, and which is ended", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  const change = async (method: "POST" | "PATCH", path: string, data: object) => {
    const at = `/v1/projects/${project.projectId}/${path}`;
    const reply = await page.request.fetch(at, { method, headers: { origin: baseURL! }, data });
    expect(reply.ok()).toBe(true);
    return reply.json();
  };
  const provider = { kind: "model", name: "A provider", baseUrl: "http://127.0.0.1:9/v1" };
  const { connection } = await change("POST", "connections", provider);
  const target = { connectionId: connection.id, model: "gpt-5-mini" };
  const { alias } = await change("POST", "gateway-aliases", { name: "fast", targets: [target] });
  const { variant } = await change("POST", "variants", { name: "Ask first", ...target, systemPrompt: "Ask first." });

  const experiment = page.getByRole("article", { name: "Experiment fast #1" });
  await test.step("it is started in the alias's panel", async () => {
    await page.goto(`/p/${project.projectId}/gateway?peek=${alias.id}`);
    await expect(page.getByText("No variant has been tried on it yet.")).toBeVisible();
    const dialog = page.getByRole("dialog", { name: "Try a variant on “fast”" });
    await expect(async () => {
      await page.getByRole("button", { name: "Try a variant…" }).press("Enter");
      await expect(dialog).toBeVisible({ timeout: 2000 });
    }).toPass();
    await dialog.getByRole("combobox", { name: "Variant" }).click();
    await page.getByRole("option", { name: "Ask first 1 · gpt-5-mini" }).click();
    await dialog.getByLabel("Share of conversations").fill("25");
    await expectSound(page, "the dialog", "[role=dialog]");
    await dialog.getByRole("button", { name: "Start experiment" }).press("Enter");
    await expect(experiment).toContainText("Running at 25%");
    await expect(experiment).toContainText("0 conversations with the variant, 0 conversations as before");
    await expect(page.getByRole("button", { name: "Try a variant…" })).toHaveCount(0);
  });

  await test.step("its share is changed", async () => {
    await experiment.getByRole("button", { name: "Change share…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Change the share of fast #1" });
    await dialog.getByLabel("Share of conversations").fill("50");
    await dialog.getByRole("button", { name: "Change share" }).press("Enter");
    await expect(experiment).toContainText("Running at 50%");
  });

  await test.step("both arms are compared", async () => {
    await experiment.getByRole("link", { name: "Compare both arms" }).press("Enter");
    await expect(page).toHaveURL(/versions\?by=arm&baseline=fast\+%231\+baseline&compared=fast\+%231\+variant/);
    await expect(page.getByRole("heading", { level: 1, name: "Versions" })).toBeVisible();
  });

  await test.step("it is ended on the variant's page, and can be started there again", async () => {
    await page.goto(`/p/${project.projectId}/variants/${variant.id}`);
    await expect(experiment).toContainText("Running at 50%");
    await expect(async () => {
      await experiment.getByRole("button", { name: "End…" }).press("Enter");
      await expect(page.getByRole("dialog", { name: "End fast #1?" })).toBeVisible({ timeout: 2000 });
    }).toPass();
    await page.getByRole("button", { name: "End experiment" }).press("Enter");
    await expect(experiment).toContainText("Ended");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Try on a share of traffic…" }).click();
    const dialog = page.getByRole("dialog", { name: "Try “Ask first” on a share of traffic" });
    await dialog.getByRole("combobox", { name: "Alias" }).click();
    await page.getByRole("option", { name: "fast" }).click();
    await dialog.getByRole("button", { name: "Start experiment" }).press("Enter");
    await expect(page.getByRole("article", { name: "Experiment fast #2" })).toContainText("Running at 10%");
  });
});
