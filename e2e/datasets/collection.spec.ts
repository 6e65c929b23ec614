import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { GOAL, GONE, LESSONS, type Lesson, STAYS, sendLessons } from "../../testbed/data/lessons";
import { newProject, type TestProject } from "../../testbed/data/project";
import { candidateOf, contentsOf, linesOf, type Row } from "../support/data/collected";
import { press } from "../support/press";
import { seen } from "../support/seen";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Examples from conversations: collected with a reason, reviewed, copied as a file, and deleted with their end user. */

/** Rules run, and a background function collects once a minute. */
const SETTLES = { timeout: 180_000, intervals: [500] };
const JOB = { timeout: 60_000, intervals: [250] };
const LEFT = LESSONS.filter(({ user }) => user !== GONE);
/** The ids of Datasets by the objective for which they collect. */
type Datasets = ReadonlyMap<string, string>;
type Read = (path: string) => Promise<Row>;

/** Waits until each Dataset has read every conversation, and asserts that each proposes exactly its own Example. */
async function expectCollected(read: Read, datasets: Datasets, conversations: ReadonlyMap<string, string>) {
  for (const datasetId of datasets.values()) {
    const done = async () => {
      const { collectionPasses } = await read(`datasets/${datasetId}/collection-passes`);
      const sum = (name: string) => collectionPasses.reduce((total: number, pass: Row) => total + pass[name], 0);
      const running = collectionPasses.filter(({ status }: Row) => status !== "completed").length;
      return { running, read: sum("conversationsRead") >= LESSONS.length };
    };
    await expect.poll(done, SETTLES).toEqual({ running: 0, read: true });
  }
  const { candidates } = await read("review-queue?limit=100");
  const of = (lesson: Lesson) => candidateOf(lesson, datasets.get(lesson.objective)!, conversations.get(lesson.id)!);
  expect(candidates).toHaveLength(LESSONS.length);
  expect(candidates).toEqual(expect.arrayContaining(LESSONS.map((lesson) => expect.objectContaining(of(lesson)))));
}

/** Asserts that no Dataset version (listed or exported), candidate or file contains anything from the deleted user. */
async function expectForgotten(read: Read, exported: (path: string) => Promise<string>, datasetIds: readonly string[]) {
  const gone = LESSONS.filter(({ user }) => user === GONE);
  const expectNothing = (text: string, where: string) => {
    for (const words of [GONE, ...gone.map(({ words }) => words)]) expect(text, where).not.toContain(words);
  };
  for (const datasetId of datasetIds) {
    const { dataset } = await read(`datasets/${datasetId}`);
    for (let version = 1; version <= dataset.version; version++) {
      const where = `datasets/${datasetId}`;
      expectNothing(JSON.stringify(await read(`${where}/examples?version=${version}`)), `version ${version}`);
      for (const format of ["lossless", "csv", "trl_sft"])
        expectNothing(await exported(`${where}/export?version=${version}&format=${format}`), `${format} of ${version}`);
    }
  }
  for (const status of ["waiting", "approved", "rejected"])
    expectNothing(JSON.stringify(await read(`review-queue?status=${status}`)), status);
  const { files } = JSON.parse(await exported("files")) as Row;
  for (const { id, name } of files) expectNothing(await exported(`files/${id}/content`), `the file ${name}`);
}

const conversationsOf = async (read: Read) => {
  const { conversations } = await read("conversations?limit=100");
  return new Map<string, string>(conversations.map(({ id, externalId }: Row) => [externalId, id]));
};

test("in the browser, Examples are collected, reviewed by keyboard, copied through files, and deleted with their user", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(600_000);
  const project = await newProject(baseURL!);
  const at = (path: string) => `${project.url}/p/${project.projectId}/${path}`;
  const read: Read = (path) => project.read(path) as Promise<Row>;
  const examplesOf = async (id: string): Promise<Row[]> => (await read(`datasets/${id}/examples`)).examples;
  const dialog = page.getByRole("dialog");
  const datasets = new Map<string, string>();
  await authenticate(page, project);

  await test.step("a Knowledge goal and a Dataset for each objective are created", async () => {
    await page.goto(at("knowledge-goals"));
    await press(page.getByRole("button", { name: "New goal" }).first(), dialog);
    await dialog.getByLabel("Title").fill(GOAL.title);
    await dialog.getByLabel("What the model should know").fill(GOAL.description);
    await dialog.getByLabel("Key phrases").fill(GOAL.keyPhrases[0]!);
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Create goal" }).click();
    await expect(dialog).toBeHidden();
    for (const { objective, name } of LESSONS) datasets.set(objective, await newDataset(page, at, name, objective));
  });

  await test.step("each objective proposes exactly its Example", async () => {
    await sendLessons(project);
    await expect.poll(async () => (await conversationsOf(read)).size, JOB).toBe(LESSONS.length);
    await expectCollected(read, datasets, await conversationsOf(read));
    for (const id of datasets.values()) {
      await page.goto(at(`datasets/${id}?tab=settings`));
      const passes = page.getByRole("table", { name: "Collection passes" });
      await expect(passes.getByText(/\b1 Example proposed/).first()).toBeVisible();
    }
  });

  await test.step("all Candidates are approved by keyboard, each shown with its reason", async () => {
    await page.goto(at("review"));
    const waiting = new Set(LESSONS);
    for (let left = LESSONS.length; left > 0; left--) {
      await expect(page.getByText(`${left} waiting ·`)).toBeVisible();
      const shown = page.getByRole("region", { name: /^Candidate:/ });
      await expect(shown).toBeFocused();
      const said = await shown.getAttribute("aria-label");
      const lesson = [...waiting].find(({ reason }) => said === `Candidate: ${reason}`)!;
      expect(lesson, said ?? "").toBeDefined();
      waiting.delete(lesson);
      await expect(shown.getByRole("heading", { name: lesson.name })).toBeVisible();
      await expect(shown.getByRole("region", { name: "Proposed answer" })).toContainText(lesson.answer);
      const current = shown.getByRole("region", { name: "Current answer" });
      if (lesson.rejected === null) await expect(current).toBeHidden();
      else await expect(current).toContainText(lesson.rejected);
      await page.keyboard.press("a");
    }
    await expect(page.getByText(`All done: ${LESSONS.length} candidates reviewed`)).toBeVisible();
    await expect
      .poll(async () => (await Promise.all([...datasets.values()].map(examplesOf))).map(({ length }) => length))
      .toEqual(LESSONS.map(() => 1));
  });

  const collected = (await Promise.all([...datasets.values()].map(examplesOf))).flat();
  const copies = await newDataset(page, at, "Copies");

  await test.step("all exports are imported into one Dataset without loss or duplicates", async () => {
    const files: { name: string; text: string }[] = [];
    for (const id of datasets.values()) {
      await page.goto(at(`datasets/${id}`));
      const exporting = page.getByRole("dialog", { name: "Export" });
      await press(page.getByRole("button", { name: "Export", exact: true }), exporting);
      await expect(exporting.getByText("1 of 1 Example.")).toBeVisible();
      files.push(await downloaded(page, exporting.getByRole("link", { name: "Download" })));
    }
    for (const [nth, file] of files.entries())
      await imported(page, at(`datasets/${copies}`), file, `1 created, in version ${nth + 1}`);
    await imported(page, at(`datasets/${copies}`), files[0]!, "0 created, 1 duplicate left out");
    expect(contentsOf(await examplesOf(copies))).toEqual(contentsOf(collected));
    const list = page.getByRole("table", { name: "Examples" });
    await page.goto(at(`datasets/${copies}`));
    for (const { words } of LESSONS) await expect(list.getByRole("link", { name: words })).toHaveCount(1);
  });

  await test.step("deleting the user's data removes all of their Examples and nobody else's", async () => {
    await page.goto(at(`data?user=${GONE}`));
    const remove = page.getByRole("button", { name: "Delete this user’s data…" });
    const confirm = page.getByRole("dialog", { name: "Delete this user’s data?" });
    await press(remove, confirm);
    await confirm.getByRole("textbox").fill(GONE);
    await confirm.getByRole("button", { name: "Delete everything" }).click();
    const receipt = page.getByRole("dialog", { name: "Receipt of a deletion" });
    await expect(receipt).toContainText("nothing was found", { timeout: 60_000 });

    const exported = async (path: string) =>
      (await page.request.get(`/v1/projects/${project.projectId}/${path}`)).text();
    await expectForgotten(read, exported, [...datasets.values(), copies]);
    const kept = collected.filter(({ conversationId }) => conversationId !== null);
    const left = await conversationsOf(read);
    expect([...left.keys()].sort()).toEqual(LEFT.map(({ id }) => id).sort());
    const theirs = new Set(left.values());
    expect(contentsOf(await examplesOf(copies))).toEqual(
      contentsOf(kept.filter(({ conversationId }) => theirs.has(conversationId))),
    );
    const list = page.getByRole("table", { name: "Examples" });
    await page.goto(at(`datasets/${copies}`));
    for (const { words, user } of LESSONS)
      await expect(list.getByRole("link", { name: words })).toHaveCount(user === GONE ? 0 : 1);
  });
});

test("the New Dataset dialog's buttons stay in place while its preview loads", async ({ page, baseURL }) => {
  const project = await newProject(baseURL!);
  await authenticate(page, project);
  let answer = () => {};
  const answers = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/collectionPasses.previewObjective*", async (route) => {
    await answers;
    await route.continue();
  });
  const dialog = page.getByRole("dialog");
  await page.goto(`${project.url}/p/${project.projectId}/datasets`);
  await press(page.getByRole("button", { name: "New Dataset" }).first(), dialog);
  await dialog.getByLabel("Objective").selectOption({ index: 1 });
  await expect(dialog.getByLabel("Checking the conversations")).toBeVisible();
  const create = dialog.getByRole("button", { name: "Create Dataset" });
  await create.hover(); // waits for the end of the dialog's animation
  const before = await create.boundingBox();
  answer();
  await expect(dialog.getByText("No conversation was active in the last 30 days.")).toBeVisible();
  expect(await create.boundingBox()).toEqual(before);
});

/** Creates a Dataset through the dialog, collecting if it has an objective; returns its id. */
async function newDataset(page: Page, at: (path: string) => string, name: string, objective?: string) {
  const dialog = page.getByRole("dialog");
  await page.goto(at("datasets"));
  await press(page.getByRole("button", { name: "New Dataset" }).first(), dialog);
  await dialog.getByLabel("Name").fill(name);
  if (objective !== undefined) {
    await dialog.getByLabel("Objective").selectOption(objective);
    await dialog.getByLabel("Collect automatically").check();
  }
  await dialog.getByRole("button", { name: "Create Dataset" }).click();
  await page.waitForURL("**/datasets/ds_*");
  await expect(seen(page, "No Examples yet")).toBeVisible();
  return new URL(page.url()).pathname.split("/").at(-1)!;
}

async function downloaded(page: Page, link: Locator) {
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** Imports a file through the dialog of the Dataset's page, and waits until it shows the result. */
async function imported(page: Page, url: string, { name, text }: { name: string; text: string }, says: string) {
  await page.goto(url);
  const dialog = page.getByRole("dialog", { name: "Import Examples" });
  await press(page.getByRole("button", { name: "Import", exact: true }), dialog);
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "File" }).click();
  await (await chooser).setFiles({ name, mimeType: "application/jsonl", buffer: Buffer.from(text) });
  await dialog.getByRole("button", { name: "Upload and preview" }).click();
  await expect(dialog.getByText("exported from a Dataset")).toBeVisible();
  await dialog.getByRole("button", { name: "Start import" }).click();
  await expect(page.getByRole("dialog", { name: "Import", exact: true }).getByText(says)).toBeVisible({
    timeout: 60_000,
  });
}

test("over /v1 with single-capability keys, Examples are collected, reviewed, copied and deleted with their user", async ({
  baseURL,
}) => {
  test.setTimeout(600_000);
  const project = await newProject(baseURL!);
  const neighbor = await newProject(baseURL!);
  const keys = {
    send: await project.newKey("telemetry:write"),
    curate: await project.newKey("models:manage"),
    read: await project.newKey("workspace:read"),
    upload: await project.newKey("project:data:write"),
    look: await project.newKey("project:data:read"),
    own: await project.newKey("project:admin"),
  };
  const request = (of: TestProject, key: string, method: string, path: string, body?: object | string) =>
    fetch(`${of.url}/v1/projects/${of.projectId}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": typeof body === "string" ? "application/octet-stream" : "application/json",
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const call = async (key: string, method: string, path: string, body?: object | string): Promise<Row> => {
    const reply = await request(project, key, method, path, body);
    expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true);
    return (await reply.json()) as Row;
  };
  const read: Read = (path) => call(keys.read, "GET", path);
  const examplesOf = async (id: string): Promise<Row[]> => (await read(`datasets/${id}/examples`)).examples;
  const exported = async (path: string) => {
    const reply = await request(project, path.startsWith("files") ? keys.look : keys.read, "GET", path);
    expect(reply.ok, `${path}: ${reply.status}`).toBe(true);
    return reply.text();
  };

  await call(keys.curate, "POST", "knowledge-goals", GOAL);
  const datasets = new Map<string, string>();
  for (const { objective, name } of LESSONS) {
    const settings = { name, collectionObjective: objective, collectionEnabled: true };
    datasets.set(objective, (await call(keys.curate, "POST", "datasets", settings)).dataset.id);
  }
  // The neighbor's user has the same id, and nobody there reviews.
  const theirs = await neighbor.newKey("models:manage");
  const { dataset: ofNeighbor } = (await (
    await request(neighbor, theirs, "POST", "datasets", {
      name: "Corrections",
      collectionObjective: "learn_from_user_corrections",
      collectionEnabled: true,
      collectionReview: false,
    })
  ).json()) as Row;
  const inNeighbor = async () => ((await neighbor.read(`datasets/${ofNeighbor.id}/examples`)) as Row).examples as Row[];

  await test.step("each objective proposes exactly its Example", async () => {
    await Promise.all([sendLessons({ url: project.url, secret: keys.send }), sendLessons(neighbor)]);
    const conversations = () => conversationsOf((path) => call(keys.look, "GET", path));
    await expect.poll(async () => (await conversations()).size, JOB).toBe(LESSONS.length);
    await expectCollected(read, datasets, await conversations());
    await expect.poll(async () => (await inNeighbor()).length, SETTLES).toBe(1);
  });

  await test.step("a key that cannot read Candidates can claim and approve them", async () => {
    for (const datasetId of datasets.values()) {
      const { candidate } = await call(keys.curate, "POST", "review-queue/next", { datasetId });
      expect(Object.keys(candidate).sort()).toEqual(["claimedUntil", "datasetId", "id"]);
      const { outcome } = await call(keys.curate, "POST", `review-queue/${candidate.id}/approve`, {});
      expect(outcome.status).toBe("created");
    }
    expect((await call(keys.curate, "POST", "review-queue/next", {})).candidate).toBeNull();
  });

  const collected = (await Promise.all([...datasets.values()].map(examplesOf))).flat();
  const { dataset: copies } = await call(keys.curate, "POST", "datasets", { name: "Copies" });

  await test.step("the joined exports are imported into a copy without loss or duplicates", async () => {
    const texts = await Promise.all([...datasets.values()].map((id) => exported(`datasets/${id}/export`)));
    expect(texts.flatMap(linesOf).map(({ id }) => id)).toEqual(collected.map(({ id }) => id));
    const imports = `datasets/${copies.id}/imports`;
    const importing = async () => {
      const { file } = await call(keys.upload, "POST", "files?name=all.jsonl", texts.join(""));
      const started = await call(keys.curate, "POST", imports, { fileId: file.id });
      const done = async () => (await read(`${imports}/${started.import.id}`)).import;
      await expect.poll(async () => (await done()).status, JOB).toBe("completed");
      return done();
    };
    expect(await importing()).toMatchObject({ created: LESSONS.length, duplicate: 0, rejected: 0, version: 1 });
    expect(await importing()).toMatchObject({ created: 0, duplicate: LESSONS.length, rejected: 0, version: null });
    expect(contentsOf(await examplesOf(copies.id))).toEqual(contentsOf(collected));
  });

  await test.step("deleting the user's data removes all of their Examples and nobody else's", async () => {
    const { deletion } = await call(keys.own, "POST", "deletions", { userId: GONE });
    const receipt = async () => (await call(keys.own, "GET", `deletions/${deletion.id}`)).deletion;
    await expect.poll(async () => (await receipt()).status, JOB).toBe("completed");
    expect(Object.values((await receipt()).remaining).every((count) => count === 0)).toBe(true);
    await expectForgotten(read, exported, [...datasets.values(), copies.id]);
    const left = await conversationsOf((path) => call(keys.look, "GET", path));
    expect([...left.keys()].sort()).toEqual(LEFT.map(({ id }) => id).sort());
    const remain = collected.filter(({ conversationId }) => [...left.values()].includes(conversationId));
    expect(remain).toHaveLength(STAYS.length);
    expect(contentsOf(await examplesOf(copies.id))).toEqual(contentsOf(remain));
    expect(await inNeighbor(), "the neighbor's Example").toHaveLength(1);
  });

  await test.step("keys are refused outside their capability and project", async () => {
    const [datasetId] = datasets.values();
    const refused = [
      [keys.read, "POST", "datasets", { name: "No" }],
      [keys.read, "POST", "review-queue/next", {}],
      [keys.curate, "GET", `datasets/${datasetId}/export`],
      [keys.curate, "GET", "review-queue"],
      [keys.curate, "POST", "files?name=no.jsonl", "{}"],
      [keys.curate, "POST", "deletions", { userId: STAYS[0] }],
      [keys.upload, "POST", `datasets/${copies.id}/imports`, { fileId: "file_1" }],
      [keys.send, "GET", `datasets/${datasetId}/examples`],
      [keys.look, "GET", `datasets/${datasetId}/examples`],
      [theirs, "GET", `datasets/${datasetId}/examples`],
    ] as const;
    for (const [key, method, path, body] of refused) {
      const { status } = await request(project, key, method, path, body);
      expect(status, `${method} ${path}`).toBe(key === theirs ? 404 : 403);
    }
  });
});
