import { modernClient } from "@/server/mcp/testing";
import { newProject } from "../../testbed/data/project";
import { press } from "../support/press";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

test("a key is created, shown once, works, and stops working when revoked", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/api-keys`);
  await press(page.getByRole("button", { name: "New key" }), page.getByRole("dialog"));
  await page.getByLabel("Name").fill("reader");
  await page.getByRole("button", { name: "Read only" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = (await page.getByTestId("secret").textContent())!;
  expect(secret).toMatch(/^whet_/);
  await project.read("conversations", secret);

  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.reload();
  await expect(page.getByRole("row", { name: /reader/ })).toContainText("Active");
  await expect(page.getByText(secret)).toBeHidden();

  await page.getByRole("button", { name: "Revoke reader" }).click();
  await expect(page.getByRole("dialog")).toContainText("can’t be undone");
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("row", { name: /reader/ })).toContainText("Revoked");
  // Immediately: the page and /v1 share their cache of keys.
  await expect(project.read("conversations", secret)).rejects.toThrow(/ 401 /);
});

test("a key that may call models is shown with all that an OpenAI client needs", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/api-keys`);
  await press(page.getByRole("button", { name: "New key" }), page.getByRole("dialog"));
  await page.getByLabel("Name").fill("caller");
  await page.getByRole("button", { name: "Call models" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByText(`OPENAI_BASE_URL=${baseURL}/v1`)).toBeVisible();
  const secret = (await page.getByTestId("secret").textContent())!;
  const reply = await fetch(`${baseURL}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  expect(await reply.json()).toEqual({ object: "list", data: [] });
});

test("a coding agent is connected with the lines shown, and no sign-in is offered to it", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  await page.goto(`/p/${project.projectId}/api-keys`);
  await press(page.getByRole("button", { name: "Connect a coding agent" }), page.getByRole("dialog"));
  for (const agent of ["Claude Code", "VS Code", "Cursor", "Codex"]) {
    await page.getByRole("tab", { name: agent }).click();
    await expect(page.getByRole("group", { name: `Snippet: ${agent}` })).toContainText(`${baseURL}/mcp`);
  }
  const client = await modernClient(`${baseURL}/mcp`, project.secret);
  expect((await client.list()).map(({ name }) => name)).toContain("read_finding");
  expect((await client.call("list_findings")).text).toBe("No Finding matches.");
  // A client that found these would drop the key.
  for (const name of ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"]) {
    expect((await fetch(`${baseURL}/.well-known/${name}`)).status).toBe(404);
  }
});
