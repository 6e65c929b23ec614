import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** From a turn to its span and back, and from an id found elsewhere to the thing that it identifies. */

let project: TestProject;

test.beforeEach(async ({ page, baseURL }) => {
  project = await newProject(baseURL!);
  await seed(project, [{ id: "order-17", model: "gpt-4o", ask: "Where is order 17?", answer: "On its way." }]);
  await signIn(page, project);
});

test("a turn links to its span and back, shows its raw JSON, and its link is copied", async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: baseURL! });
  await page.getByRole("link", { name: "Where is order 17?" }).click();
  const answer = page.getByRole("article", { name: "Assistant, message 1" });
  await expect(answer).toContainText("On its way.");
  await expect(page).toHaveTitle("Where is order 17? · Conversation · Whetstone");

  await answer.hover();
  await answer.getByRole("button", { name: "Raw JSON of message 1" }).click();
  await expect(answer.getByLabel("message 1 as JSON", { exact: true })).toContainText('"role": "assistant"');
  await answer.getByRole("button", { name: "Close raw JSON" }).click();
  await answer.getByRole("button", { name: "Copy link to message 1" }).click();
  await expect(answer.getByRole("button", { name: "Link copied" })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/\/conversations\/conv_\w+#m-1$/);

  await answer.getByRole("link", { name: "Show the span of message 1" }).click();
  await expect(page).toHaveURL(/tab=spans&span=\w{16}/);
  const span = page.getByRole("complementary", { name: "Span" });
  await span.getByText("Raw JSON").click();
  await expect(span.getByLabel("span as JSON", { exact: true })).toContainText('"attributes"');
  await span.getByRole("link", { name: "Show message 0 in the transcript" }).click();
  await expect(page.getByRole("article", { name: "User, message 0" })).toHaveAttribute("data-targeted", "true");

  await page.goto(copied);
  await expect(answer).toHaveAttribute("data-targeted", "true");
});

test("a search result shows the matching message with its match marked", async ({ page }) => {
  await page.goto(`/p/${project.projectId}/conversations?q=on+its+way`);
  const row = page.getByRole("row").filter({ hasText: "Where is order 17?" });
  await expect(row).toContainText("…On its way. · Where is order 17?");
  await expect(row.locator("mark")).toHaveText("its");
  // A match that the preview of the first message already shows is not repeated.
  await page.goto(`/p/${project.projectId}/conversations?q=order`);
  await expect(row).toBeVisible();
  await expect(row.locator("mark")).toHaveCount(0);
});

test("the palette opens traces and spans by pasted id, runs actions, and lists recent pages", async ({ page }) => {
  await page.getByRole("link", { name: "Where is order 17?" }).click();
  await page.getByRole("tab", { name: "Spans" }).click();
  await page.getByRole("treeitem", { name: /chat/ }).first().click();
  await expect(page).toHaveURL(/span=\w{16}/);
  // A page is remembered once a reader has stayed on it.
  const remembered = () =>
    expect
      .poll(() => page.evaluate((key) => localStorage.getItem(key), `whetstone:places:${project.projectId}`))
      .toContain("Where is order 17? · Conversation");
  await remembered();
  const [traceId, spanId] = ["trace", "span"].map((name) => new URL(page.url()).searchParams.get(name)!);

  const search = page.getByRole("textbox", { name: "Go to" });
  /** A page is shown before the script that handles keys runs, and a closing palette is still visible for a moment. */
  const openPalette = async () => {
    await expect(search).toBeHidden();
    await expect(async () => {
      await page.keyboard.press("ControlOrMeta+k");
      await expect(search).toBeVisible({ timeout: 2_000 });
    }).toPass({ timeout: 30_000 });
  };
  const paste = async (id: string) => {
    await openPalette();
    await search.fill(id);
  };
  await page.goto(`/p/${project.projectId}/costs`);
  await paste(traceId!);
  await page.getByRole("button", { name: "Open trace" }).click();
  await expect(page).toHaveURL(new RegExp(`/conversations/conv_\\w+\\?tab=spans&trace=${traceId}$`));
  await page.goto(`/p/${project.projectId}/costs`);
  await paste(spanId!);
  await page.getByRole("button", { name: "Open span" }).click();
  await expect(page).toHaveURL(new RegExp(`span=${spanId}$`));
  await paste("order-17");
  await expect(page.getByRole("button", { name: "Open conversation" })).toBeVisible();
  await search.fill("0123456789abcdef");
  await expect(page.getByText("No results", { exact: true })).toBeVisible();
  await search.fill("pause");
  await page.getByRole("button", { name: "Pause automatic diagnosis" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Automatic diagnosis paused." })).toBeVisible();

  await remembered();
  await page.goto(`/p/${project.projectId}/findings`);
  await openPalette();
  await page.getByRole("button", { name: "Where is order 17? · Conversation" }).click();
  await expect(page).toHaveURL(/\/conversations\/conv_\w+$/);
  await paste("create an api");
  await page.getByRole("button", { name: "Create an API key" }).click();
  await expect(page.getByRole("dialog", { name: /key/ })).toBeVisible();
});
