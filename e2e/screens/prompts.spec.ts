import { randomBytes } from "node:crypto";
import { newProject } from "../../testbed/data/project";
import { attribute } from "../../testbed/product/known-load";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

const hex = (bytes: number) => randomBytes(bytes).toString("hex");

test("a version is written, production moves to it, a client reads it, and its call links to it", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await signIn(page, project);
  await page.goto(`${project.url}/p/${project.projectId}/prompts`);
  await page.getByRole("button", { name: "New prompt" }).first().click();
  const created = page.getByRole("dialog", { name: "New prompt" });
  await created.getByRole("textbox", { name: "Name" }).fill("refund");
  await created.getByRole("textbox", { name: "Text" }).fill("Answer {{question}} kindly.");
  await expect(created.getByText("Variables: question")).toBeVisible();
  await created.getByRole("button", { name: "Create prompt" }).click();
  await expect(page).toHaveURL(/\/prompts\/refund/);

  await page.getByRole("button", { name: "New version" }).click();
  const written = page.getByRole("dialog", { name: "New version of refund" });
  await written.getByRole("textbox", { name: "Text" }).fill("Answer {{question}} in two sentences.");
  await expect(written.getByRole("region", { name: "Changes" }).locator("del")).toContainText("kindly");
  await written.getByLabel("What changed").fill("Shorter answers");
  await written.getByRole("button", { name: "Create version 2" }).click();

  const version = page.getByRole("complementary", { name: "Version of the prompt" });
  await expect(version).toContainText("in two sentences");
  await version.getByRole("button", { name: "Move a label here…" }).click();
  const moving = page.getByRole("dialog", { name: "Move a label to version 2" });
  await expect(moving).toContainText("get version 2 when they read the prompt next");
  await moving.getByRole("button", { name: "Move production" }).click();
  await expect(page.getByText("production → 2")).toBeVisible();

  const address = `${project.url}/v1/projects/${project.projectId}/prompts/refund?label=production`;
  const read = (headers: Record<string, string> = {}) =>
    fetch(address, { headers: { authorization: `Bearer ${project.secret}`, ...headers } });
  const reply = await read();
  const { prompt } = await reply.json();
  expect(prompt).toMatchObject({ version: 2, content: "Answer {{question}} in two sentences.", chosenBy: "label" });
  expect((await read({ "if-none-match": reply.headers.get("etag")! })).status).toBe(304);

  const now = Date.now();
  const span = {
    traceId: hex(16),
    spanId: hex(8),
    name: "chat gpt-4o",
    kind: 3,
    startTimeUnixNano: `${now - 900}000000`,
    endTimeUnixNano: `${now}000000`,
    attributes: [
      attribute("gen_ai.conversation.id", "asked"),
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.request.model", "gpt-4o"),
      attribute("gen_ai.usage.input_tokens", 1000),
      attribute("gen_ai.usage.output_tokens", 100),
      attribute("gen_ai.prompt.name", prompt.name),
      attribute("gen_ai.prompt.version", String(prompt.version)),
    ],
  };
  const sent = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
  expect(sent.ok).toBe(true);
  await expect(async () => {
    await page.goto(`${project.url}/p/${project.projectId}/conversations/asked?tab=cost`);
    await page.getByRole("button", { name: "Open the breakdown" }).click({ timeout: 2_000 });
  }).toPass();
  await page.getByRole("link", { name: "refund 2" }).click();
  await expect(version).toContainText("in two sentences");
  await expect(version.getByRole("link", { name: "1 conversation" })).toBeVisible();
});
