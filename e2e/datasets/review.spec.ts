import type { Browser, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import { runningDatabase } from "../../testbed/product/running-database";
import { storeCandidate } from "../support/data/candidates";
import { signIn } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Candidates are reviewed by keyboard alone, and no two reviewers have the same one. */

const QUESTIONS = ["first", "second", "third", "fourth", "fifth"].map((nth) => `The ${nth} question`);

let project: TestProject;
let datasetId: string;

test.beforeEach(async ({ baseURL }) => {
  test.setTimeout(240_000);
  project = await newProject(baseURL!);
  await seed(
    project,
    QUESTIONS.map((ask) => ({ id: ask, model: "gpt-4o", ask, answer: `It is 4 of ${ask}.` })),
    { diagnosed: false },
  );
  const created = await send("datasets", { name: "Support answers" });
  datasetId = created.dataset.id;
  const { conversations } = (await project.read("conversations?limit=10")) as unknown as {
    conversations: { id: string; externalId: string }[];
  };
  const sql = runningDatabase();
  for (const [nth, ask] of QUESTIONS.entries()) {
    await storeCandidate(sql, project.projectId, {
      datasetId,
      conversationId: conversations.find(({ externalId }) => externalId === ask)!.id,
      ask,
      answer: `It is 5, as in ${ask}. Write to <EMAIL_1>.`,
      rejected: `It is 4, as in ${ask}. Write to <EMAIL_1>.`,
      reason: `The answer to “${ask}” was corrected.`,
      createdAt: Date.now() - 60_000 + nth,
    });
  }
  await sql.end();
});

async function send(path: string, data: object) {
  const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await project.newKey("models:manage", "workspace:read")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(data),
  });
  expect(reply.ok, `${path}: ${reply.status}`).toBe(true);
  return reply.json();
}

async function reviewer(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, project);
  await page.goto(`/p/${project.projectId}/review`);
  // The server renders the first candidate before the reviewer has claimed it.
  await expect(page.getByRole("button", { name: /^Approve/ })).toBeEnabled();
  return page;
}

const candidate = (page: Page, question?: string) =>
  page.getByRole("region", { name: question === undefined ? /^Candidate:/ : `Candidate: The answer to “${question}”` });
const examples = async () =>
  (
    (await project.read(`datasets/${datasetId}/examples`)) as unknown as {
      examples: { payload: { expectedOutput: { message: { content: string } }; rejectedOutput?: object } }[];
    }
  ).examples;
const answers = async () => (await examples()).map(({ payload }) => payload.expectedOutput.message.content).sort();
const [first, second, third, fourth, fifth] = QUESTIONS as [string, string, string, string, string];

test("a reviewer approves, edits, rejects, pairs, skips and undoes without a mouse", async ({ browser }) => {
  const page = await reviewer(browser);
  const { keyboard } = page;
  const dialog = page.getByRole("dialog");
  await expect(candidate(page, first)).toBeVisible();
  await expect(page.getByText("5 waiting ·")).toBeVisible();
  const proposed = page.getByRole("region", { name: "Proposed answer" });
  await expect(proposed.locator("ins")).toHaveText("5");
  await expect(page.getByRole("region", { name: "Current answer" }).locator("del")).toHaveText("4");
  await expect(proposed.getByTitle("Personal data, masked")).toHaveText("<EMAIL_1>");

  await keyboard.press("a");
  await expect(candidate(page, second)).toBeFocused();
  await expect(page.getByText("4 waiting · 1 done today")).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Approved." })).toContainText(second);

  await keyboard.press("u");
  await expect(candidate(page, first)).toBeFocused();
  await expect(page.getByText("5 waiting ·")).toBeVisible();
  expect(await answers()).toEqual([]);
  await keyboard.press("a");
  await expect(candidate(page, second)).toBeFocused();

  await keyboard.press("e");
  await expect(dialog.getByLabel("Answer")).toBeFocused();
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("It is 6.");
  await keyboard.press("Control+Enter");
  await expect(dialog).toBeHidden();
  await expect(candidate(page, third)).toBeVisible();

  await keyboard.press("s");
  await expect(candidate(page, fourth)).toBeFocused();
  await keyboard.press("u");
  await expect(candidate(page, third)).toBeFocused();
  await keyboard.press("r");
  await expect(dialog.getByRole("radio").first()).toBeFocused();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(candidate(page, fourth)).toBeVisible();

  await keyboard.press("p");
  await expect(dialog.getByLabel("Rejected answer")).toBeFocused();
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("I do not know.");
  await keyboard.press("Control+Enter");
  await expect(dialog).toBeHidden();
  await expect(candidate(page, fifth)).toBeVisible();
  await keyboard.press("a");
  await expect(page.getByText("All done: 5 candidates reviewed")).toBeVisible();

  await expect.poll(answers).toHaveLength(4);
  expect(await answers()).toContain("It is 6.");
  const pair = (await examples()).find(({ payload }) => payload.expectedOutput.message.content.includes(fourth));
  expect(pair?.payload.rejectedOutput).toMatchObject({ message: { content: "I do not know." } });
  const { candidates } = (await project.read("review-queue?status=rejected")) as unknown as {
    candidates: { rejectReason: string }[];
  };
  expect(candidates.map(({ rejectReason }) => rejectReason)).toEqual(["The answer was fine as it was"]);
});

test("two reviewers never have the same Candidate", async ({ browser }) => {
  const one = await reviewer(browser);
  await expect(candidate(one)).toBeVisible();
  const other = await colleague(browser, one);
  const seenBy = { one: new Set<string>(), other: new Set<string>() };
  const decided = async (page: Page, seen: Set<string>) => {
    // The candidate's keys work once it has the focus.
    const shown =
      (await candidate(page)
        .and(page.locator(":focus"))
        .getAttribute("aria-label", { timeout: 2000 })
        .catch(() => null)) ?? null;
    if (shown === null || seen.has(shown)) return;
    seen.add(shown);
    await page.keyboard.press("a");
  };
  await expect(async () => {
    await Promise.all([decided(one, seenBy.one), decided(other, seenBy.other)]);
    expect(seenBy.one.size + seenBy.other.size).toBe(QUESTIONS.length);
  }).toPass({ timeout: 60_000 });
  expect([...seenBy.one].filter((shown) => seenBy.other.has(shown))).toEqual([]);
  await expect.poll(answers).toHaveLength(QUESTIONS.length);
});

/** Invites a second person as an editor, who opens the queue in a separate browser. */
async function colleague(browser: Browser, owner: Page): Promise<Page> {
  const made = await owner.request.post(`${project.url}/v1/projects/${project.projectId}/invitations`, {
    headers: { origin: project.url },
    data: { role: "editor", email: null },
  });
  const { token } = await made.json();
  const page = await (await browser.newContext()).newPage();
  await page.goto(`/invite#token=${token}`);
  await page.getByLabel("Your name").fill("Cora Colleague");
  await page.getByLabel("E-mail").fill(`${crypto.randomUUID()}@example.test`);
  await page.getByRole("textbox", { name: "Password" }).fill("a long enough password");
  await page.getByRole("button", { name: "Create account and join" }).click();
  await page.waitForURL(`**/p/${project.projectId}`);
  await page.goto(`/p/${project.projectId}/review`);
  return page;
}
