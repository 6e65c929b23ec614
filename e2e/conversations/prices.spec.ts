import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { cli, newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

const talk = (id: string, model: string) => ({ id, model, ask: "Can I return it?", answer: "Yes, within 30 days." });

/** The one model call of a conversation, as its Cost tab shows it. */
async function costOf(page: Page, projectId: string, conversation: string) {
  await page.goto(`/p/${projectId}/conversations/${conversation}?tab=cost`);
  await press(
    page.getByRole("button", { name: "Open the breakdown" }),
    page.getByRole("button", { name: "Close the breakdown" }),
  );
  return page.getByRole("main");
}

test("a price is overridden and reset, another is created, and a repricing of last week is undone", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const project = await newProject(baseURL!);
  const others = await newProject(baseURL!);
  await authenticate(page, project);
  const prices = `/p/${project.projectId}/prices`;

  await test.step("a built-in price is overridden", async () => {
    await page.goto(`${prices}?q=gpt-4o-mini&vendor=openai`);
    await page.getByRole("link", { name: "gpt-4o-mini", exact: true }).click();
    await page.getByRole("link", { name: "Override" }).click();
    const amount = page.getByRole("group", { name: "Standard" }).getByLabel("Price of input_tokens in US dollars");
    await expect(amount).toHaveValue("0.15");
    await amount.fill("100");
    // 10,000 tokens at $100 per million.
    await expect(page.getByRole("region", { name: "With this price" })).toContainText("Input tokens$1");
    await expect(page.getByRole("region", { name: "Current price" })).toContainText("built-in");
    await page.getByRole("button", { name: "Override" }).click();
    await expect(page).toHaveURL(/peek=openai%3Agpt-4o-mini/);
    await expect(page.getByRole("complementary", { name: "Price" })).toContainText("Project override");
  });

  await test.step("the next call has the overridden price and names its tier", async () => {
    await seed(project, [talk("overridden", "gpt-4o-mini")], { diagnosed: false });
    // 1,200 tokens at $100 and 80 at $0.60 per million.
    const cost = await costOf(page, project.projectId, "overridden");
    await expect(cost).toContainText("openai:gpt-4o-mini@1");
    await expect(cost).toContainText("Standard");
    await expect(cost.getByTitle(/^\$0\.120048\b/).first()).toBeVisible();
  });

  await test.step("the price is reset", async () => {
    await page.goto(`${prices}?peek=openai%3Agpt-4o-mini`);
    await press(page.getByRole("button", { name: "Reset…" }), page.getByRole("dialog"));
    await page.getByRole("button", { name: "Reset price" }).click();
    await expect(page.getByRole("complementary", { name: "Price" })).toContainText("Built-in");
    await page.getByRole("button", { name: "Show the changes of version 1" }).click();
    await expect(page.getByRole("row", { name: /Standard: input tokens/ })).toContainText("$100.00 / 1M");
    await seed(project, [talk("as-before", "gpt-4o-mini")], { before: 1, diagnosed: false });
    await expect(
      (await costOf(page, project.projectId, "as-before")).getByTitle(/^\$0\.000228\b/).first(),
    ).toBeVisible();
  });

  await test.step("an unknown model gets a price with a tier above 1,000 tokens", async () => {
    await seed(project, [talk("unheard-of", "acme-house-1")], { before: 2, diagnosed: false });
    await page.goto(prices);
    const unpriced = page.getByRole("region", { name: "Models without a price" });
    await expect(unpriced).toContainText("1 call in the last 30 days has no known cost");
    await unpriced.getByRole("link", { name: "Set a price" }).click();
    await expect(page.getByRole("textbox", { name: /^Model/ })).toHaveValue("acme-house-1");
    await press(page.getByRole("button", { name: "Set price" }), page.getByText("Not saved yet."));
    await page.getByRole("textbox", { name: /^Model/ }).fill("acme-house");
    await page.getByLabel("Pattern").fill("^acme-house(?=-)");
    await page.getByLabel("Price of input_tokens in US dollars").fill("1");
    await page.getByLabel("Price of output_tokens in US dollars").fill("2");
    await expect(page.getByRole("region", { name: "With this price" })).toContainText("RE2 has no lookaround");
    await page.getByLabel("Pattern").fill("^acme-house");
    await expect(page.getByRole("status", { name: "Names in use that it matches" })).toContainText(
      "Matches 1 of 2 names seen",
    );
    await page.getByRole("button", { name: "Add a tier" }).click();
    const tier = page.getByRole("group", { name: "Tier 2" });
    await tier.getByLabel("Tier", { exact: true }).fill("Long");
    const long = page.getByRole("group", { name: "Long" });
    await long.getByLabel("What condition 1 compares with").fill("1000");
    await long.getByLabel("Price of input_tokens in US dollars").fill("3");
    await expect(page.getByRole("region", { name: "With this price" })).toContainText("Tier Long of acme-house");
    await page.getByRole("button", { name: "Set price" }).click();
    await expect(page.getByRole("complementary", { name: "Price" })).toContainText("more than 1,000");
    await seed(project, [talk("house", "acme-house-2")], { before: 3, diagnosed: false });
    const cost = await costOf(page, project.projectId, "house");
    await expect(cost).toContainText("Long");
    // 1,200 at $3 and 80 at $2 per million.
    await expect(cost.getByTitle(/^\$0\.00376\b/).first()).toBeVisible();
  });

  await test.step("last week is repriced, and the repricing is undone", async () => {
    await page.goto(prices);
    await page.getByRole("link", { name: "There is a price now: reprice" }).click();
    await expect(page.getByRole("table", { name: /What would change/ })).toContainText("acme-house-1");
    await page.getByLabel("Model as the client names it").fill("");
    await page.getByLabel("Only calls without a known cost").uncheck();
    // The other one is the call that the override had made expensive.
    await expect(page.getByText("2 calls of 4 would change.")).toBeVisible();
    // Its list is delayed, so the page first sees the repricing once it has completed.
    await page.route(/\/api\/trpc\/[^?]*repricings\.list/, async (route) => {
      await expect
        .poll(async () => (await project.read("repricings")).repricings, { timeout: 30_000 })
        .toEqual([expect.objectContaining({ state: "completed" })]);
      await route.continue();
    });
    await page.getByRole("button", { name: "Reprice 2 calls" }).click();
    const row = page.getByRole("table", { name: "Repricings" }).getByRole("row").nth(1);
    await expect(row).toContainText("Done", { timeout: 30_000 });
    await expect(row).toContainText("2 calls");
    await expect(page.getByText("Nothing would change: 4 calls match current prices.")).toBeVisible();
    await page.unroute(/\/api\/trpc\/[^?]*repricings\.list/);
    const repriced = await costOf(page, project.projectId, "unheard-of");
    await expect(repriced.getByTitle(/^\$0\.00376\b/).first()).toBeVisible();

    await page.goto(`${prices}/repricings`);
    await press(row.getByRole("button", { name: "Undo" }), row.getByText(/^(Undoing|Undone)$/));
    await expect(row).toContainText("Undone", { timeout: 30_000 });
    await expect(row).toContainText("2 restored");
    await page.goto(`/p/${project.projectId}/conversations/unheard-of?tab=cost`);
    await expect(seen(page, "Unpriced calls", { exact: true })).toBeVisible();
    const dear = await costOf(page, project.projectId, "overridden");
    await expect(dear.getByTitle(/^\$0\.120048\b/).first()).toBeVisible();
  });

  await test.step("another project's prices are unchanged", async () => {
    const { models } = (await others.read("model-prices")) as unknown as { models: { source: string }[] };
    expect(models.filter(({ source }) => source !== "default")).toEqual([]);
    expect(await others.read("repricings")).toMatchObject({ repricings: [] });
  });
});

test("the operator loads newer built-in prices, and a project's owner previews what they would change", async ({
  page,
  baseURL,
}, testInfo) => {
  const project = await newProject(baseURL!);
  const shipped = readFileSync("server/services/pricing/catalogue/default-prices.generated.json", "utf8");
  const newer = JSON.parse(shipped);
  newer.catalogue.date = "2099-01-01";
  const dearer = newer.definitions.find(({ modelName }: { modelName: string }) => modelName === "gpt-4o-mini");
  for (const { pricingTiers } of dearer.priceSets) pricingTiers[0].prices.input_tokens = 0.000009;
  const file = testInfo.outputPath("catalogue.json");
  writeFileSync(file, JSON.stringify(newer));
  cli(process.env.E2E_DATA_DIR!, "prices", "load", file);

  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/prices/catalogue`);
  await expect(page.getByRole("region", { name: "Update of 2099-01-01 pending" })).toContainText("1 changed");
  // The row that it opens contains the table, and therefore its names too.
  const changed = page.getByRole("row", { name: /Standard: input tokens/ }).last();
  await press(page.getByRole("cell", { name: "OpenAI", exact: true }).first(), changed);
  await expect(changed).toContainText("$9.00 / 1M");
});
