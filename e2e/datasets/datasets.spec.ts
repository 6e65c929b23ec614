import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expectSound } from "../support/sound";
import { expect, test } from "../support/test";

/** A Dataset filled by hand: an Example is written, rejected by field, changed, found, compared, restored, and deleted. */

test.describe.configure({ mode: "serial" });

let project: TestProject;
let page: Page;
let datasetUrl: string;

test.beforeAll(async ({ browser, baseURL }) => {
  project = await newProject(baseURL!);
  page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  await signIn(page, project);
});
test.afterAll(() => page.context().close());

const message = (name: string) => page.getByRole("group", { name, exact: true });
const says = async (name: string, text: string) =>
  message(name)
    .getByLabel(/^Content of/)
    .fill(text);
const answer = () => message("Expected output").getByLabel(/^Content of/);
const save = () => page.keyboard.press("ControlOrMeta+s");

test("a Dataset is created with an objective", async () => {
  await page.goto(`${project.url}/p/${project.projectId}/datasets`);
  await page.getByRole("button", { name: "New Dataset" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create Dataset" }).click();
  await expect(dialog).toContainText("Name the Dataset.");
  await dialog.getByLabel("Name").fill("Answers about orders");
  await dialog.getByLabel("Objective").selectOption("learn_from_user_corrections");
  await dialog.getByRole("button", { name: "Create Dataset" }).click();
  await page.waitForURL("**/datasets/ds_*");
  await expect(page.getByRole("heading", { level: 1, name: "Answers about orders" })).toBeVisible();
  await expect(seen(page, "No Examples yet")).toBeVisible();
  datasetUrl = page.url().replace(/[?#].*/, "");
});

test("the list of Datasets is searched by name", async () => {
  await page.goto(`${project.url}/p/${project.projectId}/datasets`);
  const search = page.getByLabel("Search names");
  await search.fill("parcels");
  await expect(seen(page, "No Dataset matches")).toBeVisible();
  await search.fill("orders");
  await expect(page.getByRole("link", { name: "Answers about orders" })).toBeVisible();
  await page.goto(datasetUrl);
});

test("an Example is written as a chat, and problems are shown at their fields", async () => {
  await page.getByRole("link", { name: "New Example" }).first().click();
  await page.waitForURL("**/examples/new");
  await says("Message 1", "Where is order 4711?");
  await page.getByRole("button", { name: "Assistant message", exact: true }).click();
  await page.getByRole("button", { name: "Add a tool call to message 2" }).click();
  const call = message("Tool call 1 of message 2");
  await call.getByLabel("Tool", { exact: true }).fill("find_order");
  await call.getByLabel("Arguments, as JSON").fill('{"id": 4711');
  await expect(call).toContainText("This is not JSON.");
  await call.getByLabel("Arguments, as JSON").fill('{"id": 4711}');
  await save();
  // The call has no result yet, and there is no answer.
  await expect(call).toContainText("Has no result.");
  await expect(message("Expected output")).toContainText("Must be a non-empty string");
  await expectSound(page);

  await page.getByRole("button", { name: "Other message" }).click();
  await page.getByRole("menuitem", { name: "Tool result" }).click();
  await expect(message("Message 3").getByLabel("Result of call")).toHaveValue("call_1");
  await says("Message 3", "on its way");
  await says("Expected output", "It arrives tomorrow.");
  await message("Message 2").getByLabel("Weight").fill("0.5");
  await page.getByLabel("Split").selectOption("train");
  await save();
  await page.waitForURL(/\/examples\/ex_/);
  await expect(page.getByText("Unsaved changes")).toBeHidden();
  await expect(page.getByLabel("About the Example")).toContainText("By hand");
  await expect(message("Message 2").getByLabel("Weight")).toHaveValue("0.5");
});

test("following a link with unsaved changes asks first and can keep them", async () => {
  await says("Expected output", "It arrives on Tuesday.");
  await expect(page.getByText("Unsaved changes")).toBeVisible();
  await page.getByRole("link", { name: "All Examples" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Leave without saving?");
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await expect(dialog).toBeHidden();
  await expect(answer()).toHaveValue("It arrives on Tuesday.");
  await save();
  await expect(page.getByText("Unsaved changes")).toBeHidden();
});

/** Saves tags like another person who has the same Example open. */
async function saveElsewhere(...tags: string[]) {
  const [datasetId, , exampleId] = new URL(page.url()).pathname.split("/").slice(-3);
  const theirs = await page.request.patch(
    `/v1/projects/${project.projectId}/datasets/${datasetId}/examples/${exampleId}`,
    { headers: { origin: project.url }, data: { tags } },
  );
  expect(theirs.status()).toBe(200);
}

test("another person's changes are not overwritten, and can be loaded without losing one's own", async () => {
  await saveElsewhere("theirs");
  await says("Expected output", "It arrives on Monday.");
  await save();
  const refused = page.getByRole("alert").filter({ hasText: "has changed since you opened it" });
  await expect(refused).toBeVisible();
  await expect(refused).toContainText("Different in the newer version: tags.");
  await expectSound(page);
  await refused.getByRole("button", { name: "Load the newer version" }).click();
  await expect(answer()).toHaveValue("It arrives on Tuesday.");
  await expect(seen(page, "theirs", { exact: true })).toBeVisible();
  await expect(refused).toBeHidden();
  await expect(page.getByText("Unsaved changes")).toBeHidden();

  await page.getByRole("button", { name: "Undo" }).click();
  await expect(answer()).toHaveValue("It arrives on Monday.");
  await expect(page.getByText("Unsaved changes")).toBeVisible();
  await says("Expected output", "It arrives on Tuesday.");
});

test("another person's version is overwritten only on request", async () => {
  await page.getByLabel("About the Example").getByRole("combobox", { name: "Tags" }).fill("mine");
  await page.keyboard.press("Enter");
  await saveElsewhere("theirs", "once more");
  await save();
  const refused = page.getByRole("alert").filter({ hasText: "has changed since you opened it" });
  await expect(refused).toBeVisible();
  const again = page.waitForResponse((response) => response.url().includes("examples.update"));
  await save();
  expect((await again).status()).toBe(409);
  await refused.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(refused).toBeHidden();
  await expect(page.getByText("Unsaved changes")).toBeHidden();
  await page.reload();
  await expect(answer()).toHaveValue("It arrives on Tuesday.");
  await expect(seen(page, "mine", { exact: true })).toBeVisible();
  await expect(seen(page, "once more", { exact: true })).toBeHidden();
});

test("an Example is edited as JSON, and its problems have pointers", async () => {
  await page.getByText("JSON", { exact: true }).click();
  const text = page.getByLabel("Payload as JSON");
  await expect(text).toHaveValue(/"find_order"/);
  const before = await text.inputValue();
  await text.fill(before.replace('"type": "chat"', '"type": "essay"'));
  await save();
  await expect(page.getByRole("alert").first()).toContainText("input/type");
  await text.fill(before);
  await page.getByText("Chat", { exact: true }).click();
  await expect(message("Message 2")).toBeVisible();
});

test("Examples are searched and moved to another split in the list", async () => {
  await page.goto(datasetUrl);
  const list = page.getByRole("table", { name: "Examples" });
  await expect(list.getByRole("link", { name: /Where is order 4711/ })).toBeVisible();
  await page.getByLabel("Search Examples").fill("nothingsaysthis");
  await expect(seen(page, "No Example matches")).toBeVisible();
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await list.getByRole("checkbox").nth(1).check();
  await page.getByRole("toolbar").getByRole("button", { name: "Split" }).click();
  await page.getByRole("menuitem", { name: "To test" }).click();
  await expect(seen(page, "Moved 1 Example to test")).toBeVisible();
  await expect(list).toContainText("Test");
});

test("a second Example with the same input in another split is reported as leakage", async () => {
  await page.goto(`${datasetUrl}/examples/new`);
  await says("Message 1", "What are your hours?");
  await says("Expected output", "Nine to five.");
  await page.getByLabel("Split").selectOption("train");
  await page.getByRole("button", { name: "Create Example" }).click();
  await page.waitForURL(/\/examples\/ex_/);
  await page.goto(`${datasetUrl}/examples/new`);
  await says("Message 1", "what are your  HOURS?");
  await says("Expected output", "Ten to six.");
  await page.getByLabel("Split").selectOption("test");
  await page.getByRole("button", { name: "Create Example" }).click();
  await page.waitForURL(/\/examples\/ex_/);
  await page.goto(`${datasetUrl}?tab=overview`);
  await expect(seen(page, "Inputs in several splits: 1")).toBeVisible();
  await expect(seen(page, "No conversation is in several splits")).toBeVisible();
  await expectSound(page);
});

test("versions are compared word by word, and one is restored", async () => {
  const base = `${project.url}/v1/projects/${project.projectId}/datasets/${datasetUrl.split("/").at(-1)}`;
  const authorization = `Bearer ${await project.newKey("models:manage", "workspace:read")}`;
  const found = await page.request.get(`${base}/examples`, { headers: { authorization } });
  const { examples } = await found.json();
  const [hours] = examples.filter(({ payload }: { payload: unknown }) =>
    JSON.stringify(payload).includes("Nine to five"),
  );
  hours.payload.expectedOutput.message.content = "Nine to six.";
  // Another person's edits form a separate version.
  const changed = await page.request.patch(`${base}/examples/${hours.id}`, {
    headers: { authorization },
    data: { payload: hours.payload },
  });
  expect(changed.status(), await changed.text()).toBe(200);

  await page.goto(`${datasetUrl}?tab=versions`);
  const list = page.getByRole("table", { name: "Versions" });
  await expect(list).toContainText("1 changed");
  await list.getByRole("link", { name: "2", exact: true }).click();
  await expect(seen(page, "1 change")).toBeVisible();
  const change = page.getByRole("article", { name: "Changed Example" });
  await expect(change.locator("del")).toHaveText("five");
  await expect(change.locator("ins")).toHaveText("six");
  await expectSound(page);

  await page.getByRole("button", { name: "All versions" }).click();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await expect(list).toContainText("Restore of version 1");
  await page.goto(`${datasetUrl}/examples/${hours.id}`);
  await expect(answer()).toHaveValue("Nine to five.");
});

test("a Dataset is renamed, and deleted once its name is typed", async () => {
  await page.goto(`${datasetUrl}?tab=settings`);
  await page.getByLabel("Name").fill("Answers about everything");
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Answers about everything" })).toBeVisible();
  await page.getByRole("button", { name: "Delete Dataset…" }).click();
  const dialog = page.getByRole("dialog");
  const confirm = dialog.getByRole("button", { name: "Delete Dataset" });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/to confirm/).fill("Answers about everything");
  await confirm.click();
  await page.waitForURL("**/datasets");
  await expect(seen(page, "No Datasets yet")).toBeVisible();
  await page.goto(datasetUrl);
  await expect(seen(page, "Dataset not found")).toBeVisible();
});
