import type { Browser, BrowserContext, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Two people, each in their own browser: roles that one grants and revokes take effect for the other. */

/** The promised time. Nothing here fails for being slower: the actual time is recorded and reported. */
const PROMISED_MS = 5000;
const PATIENCE_MS = 4 * PROMISED_MS;

let project: TestProject;
let findingId: string;
let owner: Page;
let guest: Page;
let guests: BrowserContext;

test.beforeEach(async ({ browser, baseURL }) => {
  test.setTimeout(240_000);
  project = await newProject(baseURL!);
  await seed(project, [
    { id: "talk", model: "gpt-4o", ask: "Where is my order 1042?", answer: "I cannot find it.", failingTool: true },
  ]);
  const { findings } = (await project.read("diagnostics/findings")) as unknown as { findings: { id: string }[] };
  findingId = findings[0]!.id;
  owner = await pageOf(browser);
  guest = await pageOf(browser);
  guests = guest.context();
  await signIn(owner, project);
});
test.afterEach(async () => {
  await owner.context().close();
  await guests.close();
});

const pageOf = async (browser: Browser) => (await browser.newContext()).newPage();
const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;

/** Waits for a condition and records how long it took. */
async function soon(what: string, so: () => Promise<unknown>) {
  const begun = performance.now();
  await so();
  const took = performance.now() - begun;
  test
    .info()
    .annotations.push({ type: took <= PROMISED_MS ? "in time" : "LATE", description: `${what}: ${took | 0} ms` });
}
const see = (page: Page, text: string | RegExp) =>
  expect(page.getByText(text).first()).toBeVisible({ timeout: PATIENCE_MS });

/** Returns how the page, tRPC and `/v1` respond to the guest's cookie, for a read, a change and an owner's operation. */
async function doors() {
  const { request } = guests;
  const headers = { origin: project.url };
  const input = (fields: object) => encodeURIComponent(JSON.stringify(fields));
  const { projectId } = project;
  const trpc = (path: string, fields = {}) =>
    request.get(`${project.url}/api/trpc/${path}?input=${input({ projectId, ...fields })}`);
  const v1 = `${project.url}/v1/projects/${projectId}`;
  const change = { projectId, findingId, reviewStatus: "unreviewed" };
  const replies = {
    page: request.get(at("findings"), { maxRedirects: 0 }),
    "tRPC read": trpc("findings.list"),
    "tRPC change": request.post(`${project.url}/api/trpc/findings.update`, { headers, data: change }),
    "tRPC owner's": trpc("members.list"),
    "v1 read": request.get(`${v1}/conversations`),
    "v1 change": request.patch(`${v1}/diagnostics/findings/${findingId}`, {
      headers,
      data: { reviewStatus: "unreviewed" },
    }),
    "v1 owner's": request.get(`${v1}/members`),
  };
  const statuses = await Promise.all(
    Object.entries(replies).map(async ([name, reply]) => [name, (await reply).status()]),
  );
  return Object.fromEntries(statuses) as Record<keyof typeof replies, number>;
}
const expectDoors = (what: string, expected: Awaited<ReturnType<typeof doors>>) =>
  soon(`${what}, at the doors`, () => expect.poll(doors, { timeout: PATIENCE_MS }).toEqual(expected));

const READS = { page: 200, "tRPC read": 200, "v1 read": 200 };
const AS_VIEWER = { ...READS, "tRPC change": 403, "tRPC owner's": 403, "v1 change": 403, "v1 owner's": 403 };
const AS_EDITOR = { ...AS_VIEWER, "tRPC change": 200, "v1 change": 200 };
const AS_NOBODY = Object.fromEntries(Object.keys(AS_VIEWER).map((door) => [door, 404])) as typeof AS_VIEWER;

test("a second person is invited, made an editor, made a viewer again, and removed", async ({ browser }) => {
  const email = `guest-${crypto.randomUUID()}@example.test`;
  const roleOf = () => owner.getByRole("combobox", { name: `Role of ${email}` });

  const link = await test.step("the owner creates an invite link", async () => {
    await owner.goto(at("members"));
    await press(owner.getByRole("button", { name: "Invite", exact: true }), owner.getByRole("dialog"));
    await owner.getByLabel("Role", { exact: true }).selectOption("viewer");
    await owner.getByRole("button", { name: "Create invite link" }).click();
    const made = (await owner.getByTestId("link").textContent())!;
    await owner.getByRole("button", { name: "I have copied it" }).click();
    await expect(owner.getByRole("table", { name: "Open invitations" })).toContainText("Anyone with the link");
    return made;
  });

  await test.step("the second person joins with a new account, and no URL's query has the token", async () => {
    const token = new URL(link).hash.slice(1).split("=")[1]!;
    const asked: string[] = [];
    guest.on("request", (request) => asked.push(request.url()));
    await guest.goto(link);
    await guest.getByLabel("Your name").fill("Gus Guest");
    await guest.getByLabel("E-mail").fill(email);
    await guest.getByRole("textbox", { name: "Password" }).fill("a long enough password");
    await expect(guest).toHaveURL(`${project.url}/invite`);
    await guest.getByRole("button", { name: "Create account and join" }).click();
    await guest.waitForURL(`**/p/${project.projectId}`);
    await guest.getByRole("link", { name: "Conversations", exact: true }).click();
    await see(guest, "Where is my order 1042?");
    expect(asked.filter((address) => new URL(address).search.includes(token))).toEqual([]);
  });

  await test.step("a viewer can read, and sees no controls that would be refused", async () => {
    await expect(guest.getByRole("link", { name: "Findings" })).toBeVisible();
    for (const name of ["Members", "API keys", "Audit log"])
      await expect(guest.getByRole("link", { name })).toBeHidden();
    await guest.goto(at("members"));
    await expect(seen(guest, "For owners only")).toBeVisible();
    await guest.goto(at(`findings/${findingId}`));
    await expect(guest.getByRole("heading", { name: "Affected conversations" })).toBeVisible();
    await expect(guest.getByRole("button", { name: "Confirm" })).toBeHidden();
    await expectDoors("a viewer", AS_VIEWER);
  });

  await test.step("once they are an editor, their open page lets them review", async () => {
    await owner.reload();
    const told = see(guest, "You are now an editor in Journey.");
    await roleOf().selectOption("editor");
    await see(owner, "Gus Guest is now an editor.");
    await soon("a role given, on the open page", () =>
      expect(guest.getByRole("button", { name: "Confirm" })).toBeVisible({ timeout: PATIENCE_MS }),
    );
    await told;
    await expectDoors("an editor", AS_EDITOR);
    await guest.getByRole("button", { name: "Confirm" }).click();
    await expect(guest.getByRole("button", { name: "Back to review" })).toBeVisible();
    await owner.goto(at(`findings/${findingId}`));
    await expect(owner.getByText("Confirmed").first()).toBeVisible();
  });

  await test.step("once they are a viewer again, the button disappears and changes are refused", async () => {
    await owner.goto(at("members"));
    await roleOf().selectOption("viewer");
    await see(owner, "Gus Guest is now a viewer.");
    await soon("a role taken, on the open page", () =>
      expect(guest.getByRole("button", { name: "Back to review" })).toBeHidden({ timeout: PATIENCE_MS }),
    );
    await expectDoors("a viewer again", AS_VIEWER);
  });

  await test.step("a change of role is undone", async () => {
    await roleOf().selectOption("manager");
    const said = owner.getByRole("alert").filter({ hasText: "Gus Guest is now a manager." });
    await said.getByRole("button", { name: "Undo" }).click();
    await expect(roleOf()).toHaveValue("viewer");
    await expectDoors("a viewer after all", AS_VIEWER);
  });

  await test.step("once they are removed, their open pages show a notice and no data", async () => {
    const window = await browser.newContext({ storageState: await guests.storageState() });
    const other = await window.newPage();
    await other.goto(at("conversations"));
    await see(other, "Where is my order 1042?");
    await owner.getByRole("button", { name: `Actions for ${email}` }).click();
    await owner.getByRole("menuitem", { name: "Remove…" }).click();
    await owner.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(roleOf()).toBeHidden();
    await soon("a removal, on the open pages", () =>
      Promise.all([guest, other].map((page) => see(page, "You are no longer in Journey"))),
    );
    await expect(other.getByText("Where is my order 1042?")).toBeHidden();
    await expectDoors("removed", AS_NOBODY);
    for (const path of [
      "conversations",
      "conversations/talk",
      "findings",
      `findings/${findingId}`,
      "rule-runs",
      "jobs",
      "api-keys",
      "send-a-trace",
      "members",
      "audit",
      "account",
      "settings",
    ]) {
      expect((await guest.goto(at(path)))?.status(), path).toBe(404);
      await expect(seen(guest, "Page not found")).toBeVisible();
    }
    await window.close();
  });

  await test.step("the audit log lists all of it and is downloaded as CSV", async () => {
    await owner.goto(at("audit"));
    const rows = owner.getByRole("table", { name: "Audit log" });
    for (const what of ["Invited", "Accepted the invitation", "Changed the role of", "Removed the member"]) {
      await expect(rows.getByText(what).first()).toBeVisible();
    }
    const change = owner.getByRole("complementary", { name: "Change" });
    // Not on the member's name, which links to the members.
    const changed = rows.getByRole("row").filter({ hasText: "Changed the role of" }).first();
    await press(changed.getByText("Workbench"), change);
    await expect(owner).toHaveURL(/peek=aud_/);
    await expect(change.getByRole("row", { name: /^role changed/ })).toContainText("viewer");
    await owner.keyboard.press("Escape");
    await owner.getByLabel("About").selectOption("members");
    await expect(owner).toHaveURL(/action=members/);
    await expect(rows.getByText("Accepted the invitation")).toBeHidden();
    const [download] = await Promise.all([
      owner.waitForEvent("download"),
      owner.getByRole("link", { name: "CSV" }).click(),
    ]);
    const file = await (await download.createReadStream()).toArray();
    const lines = Buffer.concat(file).toString("utf8").trimEnd().split("\r\n");
    expect(lines[0]).toMatch(/^time,action,/);
    const actions = lines.slice(1).map((line) => line.split(",")[1]);
    expect(actions).toEqual([
      "members.remove",
      "members.changeRole",
      "members.changeRole",
      "members.changeRole",
      "members.changeRole",
      "members.invite",
    ]);
    expect(lines.join()).toContain(email);
  });
});

test("a page whose session was ended elsewhere hides its data, and returns after sign-in", async () => {
  await signIn(guest, project);
  await guest.goto(at(`findings/${findingId}`));
  await see(guest, "Affected conversations");
  await owner.goto(at("account"));
  await soon("an ended session, on the open page", () =>
    press(owner.getByRole("button", { name: "Sign out all others" }), guest.getByText("You are signed out")),
  );
  await expect(guest.getByRole("heading", { name: "Affected conversations" })).toBeHidden();
  await guest.getByRole("link", { name: "Sign in" }).click();
  await guest.getByLabel("E-mail").fill(project.email);
  await guest.getByLabel("Password", { exact: true }).fill(project.password);
  await guest.getByRole("button", { name: "Sign in" }).click();
  await guest.waitForURL(at(`findings/${findingId}`));
  await guest.goto(at("account"));
  await expect(guest.getByRole("table", { name: "Activity" })).toContainText("Signed the other browsers out");
});
