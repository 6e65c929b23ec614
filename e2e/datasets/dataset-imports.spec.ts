import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** Importing and exporting a Dataset in a browser: a CSV with mapped columns, bad lines and their rejects, an export. */

let project: TestProject;
test.beforeAll(async ({ baseURL }) => {
  project = await newProject(baseURL!);
});

/** Creates a Dataset and opens its page. */
async function openDataset(page: Page, name: string): Promise<string> {
  await authenticate(page, project);
  const reply = await page.request.post(`${project.url}/v1/projects/${project.projectId}/datasets`, {
    headers: { origin: project.url },
    data: { name },
  });
  const { id } = (await reply.json()).dataset as { id: string };
  await page.goto(`${project.url}/p/${project.projectId}/datasets/${id}`);
  return id;
}

/** Opens the import dialog with a file, up to its preview. */
async function upload(page: Page, name: string, content: string): Promise<Locator> {
  const dialog = page.getByRole("dialog", { name: "Import Examples" });
  await press(page.getByRole("button", { name: "Import", exact: true }), dialog);
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "File" }).click();
  await (await chooser).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
  await dialog.getByRole("button", { name: "Upload and preview" }).click();
  return dialog;
}

async function downloaded(page: Page, link: Locator) {
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

test("a CSV file is imported once its columns are mapped, and the Dataset is exported as JSONL", async ({ page }) => {
  await openDataset(page, "FAQ");
  const dialog = await upload(page, "faq.csv", "q,a,note\nWhere is it?,On its way.,x\nIs it blue?,It is.,y\n");
  await expect(dialog.getByText("Choose the column that contains the expected answer")).toBeVisible();
  await dialog.getByLabel("q becomes").selectOption({ label: "Question" });
  await dialog.getByLabel("a becomes").selectOption({ label: "Expected answer" });
  await expect(dialog.getByText("All 2 rows checked: 2 usable, 0 not.")).toBeVisible();
  await expect(dialog.getByRole("group", { name: "The Example of line 2" })).toContainText("On its way.");
  await expect(dialog.getByLabel("note becomes")).toHaveValue("ignore");
  await expectSound(page, "", "[role=dialog]");
  await dialog.getByRole("button", { name: "Start import" }).click();
  const followed = page.getByRole("dialog", { name: "Import", exact: true });
  await expect(followed.getByText("2 created, in version 1")).toBeVisible({ timeout: 30_000 });
  await followed.getByRole("button", { name: "Close", exact: true }).last().click();

  const exporting = page.getByRole("dialog", { name: "Export" });
  await press(page.getByRole("button", { name: "Export", exact: true }), exporting);
  await expect(exporting.getByText("2 of 2 Examples.")).toBeVisible();
  await exporting.getByLabel("TRL, preference").check();
  await expect(exporting.getByText(/2 Examples of 2 skipped/)).toBeVisible();
  await exporting.getByLabel("Lossless JSONL").check();
  await expectSound(page, "", "[role=dialog]");
  const { name, text } = await downloaded(page, exporting.getByRole("link", { name: "Download" }));
  expect(name).toBe("FAQ-v1-lossless.jsonl");
  const questions = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).payload.input.messages[0].content);
  expect(questions).toEqual(["Where is it?", "Is it blue?"]);
});

test("bad lines are listed before the import, and downloaded as a file of rejects after it", async ({ page }) => {
  const datasetId = await openDataset(page, "Chats");
  const good = (n: number) =>
    JSON.stringify({
      messages: [
        { role: "user", content: `Question ${n}` },
        { role: "assistant", content: "Yes." },
      ],
    });
  const dialog = await upload(page, "chats.jsonl", [good(1), "not JSON", good(2), '{"messages":[]}'].join("\n"));
  await expect(dialog.getByText("All 4 rows checked: 2 usable, 2 not.")).toBeVisible();
  await expect(dialog.getByRole("list", { name: "Problems" })).toContainText("Line 2: Is not JSON");
  await dialog.getByLabel("The usable rows").check();
  await dialog.getByRole("button", { name: "Start import" }).click();
  const followed = page.getByRole("dialog", { name: "Import", exact: true });
  await expect(followed.getByText("2 created, 2 rejected, in version 1")).toBeVisible({ timeout: 30_000 });
  const { name, text } = await downloaded(page, followed.getByRole("link", { name: /Download the 2 unusable rows/ }));
  expect(name).toBe("chats-rejects.jsonl");
  const rejects = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rejects.map(({ line, row }) => [line, row])).toEqual([
    [2, "not JSON"],
    [4, '{"messages":[]}'],
  ]);
  // The import is in the URL: a reload shows it again.
  await page.reload();
  await expect(followed.getByText("2 created, 2 rejected, in version 1")).toBeVisible();
  await page.goto(`${project.url}/p/${project.projectId}/datasets/${datasetId}?import=new`);
  const earlier = page.getByRole("list", { name: "Earlier imports" });
  await expect(earlier.getByRole("listitem")).toContainText("Completed, rows rejected");
  await press(earlier.getByRole("button", { name: "chats.jsonl" }), followed);
});

test("by default, one bad line keeps every row out", async ({ page }) => {
  await openDataset(page, "Strict");
  const dialog = await upload(page, "strict.jsonl", `{"prompt":"a","completion":"b"}\n{"prompt":"c"}\n`);
  await expect(dialog.getByText("All 2 rows checked: 1 usable, 1 not.")).toBeVisible();
  await dialog.getByRole("button", { name: "Start import" }).click();
  const followed = page.getByRole("dialog", { name: "Import", exact: true });
  await expect(followed.getByText("1 of 2 rows are unusable, so nothing was stored.")).toBeVisible({ timeout: 30_000 });
  await expect(followed.getByText("Nothing from the file is in the Dataset.")).toBeVisible();
});
