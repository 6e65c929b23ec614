import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import {
  createPrompt,
  createPromptVersion,
  deletePrompt,
  getPrompt,
  listLabelEvents,
  listPrompts,
  listPromptVersions,
  moveLabel,
  promptUsage,
  renderPrompt,
} from ".";
import { LABELS_MAX, PROMPTS_MAX, VARIABLES_MAX } from "./schemas";

const REFUND = { name: "refund", content: "Be kind to {{user}}. {{ tone }}" };
const promptName = REFUND.name;

test("versions count up from 1, never change, and say what is in them and who wrote them", async () => {
  const { ctx, userId } = await testProject();
  const { prompt } = await createPrompt(ctx, { ...REFUND, message: "First words", labels: ["production"] });
  expect(prompt).toMatchObject({
    name: promptName,
    kind: "text",
    version: 1,
    labels: ["production", "latest"],
    variables: ["user", "tone"],
    message: "First words",
    actorKind: "user",
    actorId: userId,
  });
  const second = await createPromptVersion(ctx, { promptName, content: "Be brief." });
  expect(second.prompt).toMatchObject({ version: 2, labels: ["latest"], variables: [], message: null });

  const { versions, kind } = await listPromptVersions(ctx, { promptName });
  expect(kind).toBe("text");
  expect(versions.map(({ version, labels }) => [version, labels])).toEqual([
    [2, ["latest"]],
    [1, ["production"]],
  ]);
  const first = await listPromptVersions(ctx, { promptName, limit: 1 });
  const rest = await listPromptVersions(ctx, { promptName, limit: 1, cursor: first.pagination.nextCursor! });
  expect([...first.versions, ...rest.versions]).toEqual(versions);
  expect(rest.pagination.nextCursor).toBeNull();
  expect((await getPrompt(ctx, { promptName, version: 1 })).prompt.content).toBe(REFUND.content);
});

test("a client gets production, without it the newest version, and is told which", async () => {
  const { ctx } = await testProject();
  await createPrompt(ctx, REFUND);
  await createPromptVersion(ctx, { promptName, content: "Two" });
  const read = async (wanted: { label?: string; version?: number } = {}) => {
    const { version, chosenBy, label } = (await getPrompt(ctx, { promptName, ...wanted })).prompt;
    return [version, chosenBy, label];
  };
  expect(await read()).toEqual([2, "latest", null]);
  await moveLabel(ctx, { promptName, label: "production", version: 1 });
  await moveLabel(ctx, { promptName, label: "staging", version: 2 });
  expect(await read()).toEqual([1, "label", "production"]);
  expect(await read({ label: "staging" })).toEqual([2, "label", "staging"]);
  expect(await read({ label: "latest" })).toEqual([2, "latest", null]);
  expect(await read({ version: 2, label: "production" })).toEqual([2, "version", null]);
  await moveLabel(ctx, { promptName, label: "staging", version: null });
  for (const wanted of [{ label: "staging" }, { label: "other" }, { version: 3 }])
    await expect(read(wanted)).rejects.toMatchObject({ code: "not_found" });
});

test("each move of a label is an event, and a move may require where the label points", async () => {
  const { ctx, userId } = await testProject();
  await createPrompt(ctx, { ...REFUND, labels: ["production"] });
  await createPromptVersion(ctx, { promptName, content: "Two" });
  const move = (version: number | null, expectedVersion?: number | null) =>
    moveLabel(ctx, { promptName, label: "production", version, expectedVersion });
  expect(await move(2, 1)).toEqual({ label: "production", version: 2, previousVersion: 1 });
  await expect(move(1, 1)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("version 2") });
  await expect(move(1, null)).rejects.toMatchObject({ code: "conflict" });
  await move(2);
  await move(null, 2);
  await expect(move(1, 2)).rejects.toMatchObject({ code: "conflict" });
  await expect(move(null)).rejects.toMatchObject({ code: "not_found" });
  await expect(move(9)).rejects.toMatchObject({ code: "not_found" });
  await expect(moveLabel(ctx, { promptName, label: "latest", version: 1 })).rejects.toMatchObject({
    code: "unprocessable",
  });
  const { events } = await listLabelEvents(ctx, { promptName });
  expect(events.map(({ fromVersion, toVersion }) => [fromVersion, toVersion])).toEqual([
    [2, null],
    [1, 2],
    [null, 1],
  ]);
  expect(events[0]).toMatchObject({ label: "production", actorKind: "user", actorId: userId });
});

test("two versions written at once have consecutive numbers, and of two safe moves one wins", async () => {
  const { ctx } = await testProject();
  await createPrompt(ctx, { ...REFUND, labels: ["production"] });
  const written = await Promise.all(
    ["a", "b", "c"].map((content) => createPromptVersion(ctx, { promptName, content, labels: ["staging"] })),
  );
  expect(written.map(({ prompt }) => prompt.version).sort()).toEqual([2, 3, 4]);
  expect((await getPrompt(ctx, { promptName, label: "staging" })).prompt.version).toBe(4);
  const moves = await Promise.allSettled(
    [2, 3].map((version) => moveLabel(ctx, { promptName, label: "production", version, expectedVersion: 1 })),
  );
  expect(moves.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a chat has messages, keeps its kind, and is filled in without expanding or escaping values", async () => {
  const { ctx } = await testProject();
  const content = [
    { role: "system" as const, content: 'Reply as {"answer": {"text": ""}} to {{user}}.' },
    { role: "user" as const, content: "{{question}}" },
  ];
  await createPrompt(ctx, { name: "answer", content });
  const variables = { user: "{{question}} & <b>", question: "$& why?", unused: "x" };
  expect(await renderPrompt(ctx, { promptName: "answer", variables })).toEqual({
    name: "answer",
    version: 1,
    kind: "chat",
    content: [
      { role: "system", content: 'Reply as {"answer": {"text": ""}} to {{question}} & <b>.' },
      { role: "user", content: "$& why?" },
    ],
  });
  await expect(renderPrompt(ctx, { promptName: "answer", variables: { user: "u" } })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/variables/question" }],
  });
  await expect(createPromptVersion(ctx, { promptName: "answer", content: "text" })).rejects.toMatchObject({
    code: "unprocessable",
  });
});

test("what is filled in and what a prompt has is limited", async () => {
  const { ctx } = await testProject();
  await createPrompt(ctx, { name: "long", content: "{{a}}".repeat(20_000) });
  await expect(renderPrompt(ctx, { promptName: "long", variables: { a: "x".repeat(100_000) } })).rejects.toMatchObject({
    code: "unprocessable",
  });
  const many = Array.from({ length: VARIABLES_MAX + 1 }, (_, n) => `{{v${n}}}`).join("");
  await expect(createPrompt(ctx, { name: "many", content: many })).rejects.toMatchObject({ code: "unprocessable" });
  const labels = Array.from({ length: LABELS_MAX }, (_, n) => `label-${n}`);
  await createPromptVersion(ctx, { promptName: "long", content: "x", labels });
  await expect(moveLabel(ctx, { promptName: "long", label: "more", version: 1 })).rejects.toMatchObject({
    code: "conflict",
  });
  await db().execute(sql`
    insert into prompts (project_id, id, name, kind, latest_version)
    select ${ctx.projectId}, 'prm_' || n, 'p' || n, 'text', 1 from generate_series(1, ${PROMPTS_MAX - 2}::int) n`);
  const created = await Promise.allSettled(["x", "y"].map((name) => createPrompt(ctx, { name, content: "x" })));
  expect(created.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("prompts are listed by change or name, found by part of their name, and deleted with all that they have", async () => {
  const { ctx, asKey } = await testProject();
  for (const name of ["refund", "Greeting", "refund-mail"]) await createPrompt(ctx, { name, content: "x" });
  await moveLabel(ctx, { promptName, label: "staging", version: 1 });
  const names = async (input: object) => (await listPrompts(ctx, input)).prompts.map(({ name }) => name);
  expect(await names({})).toEqual(["refund", "refund-mail", "Greeting"]);
  expect(await names({ q: "MAIL" })).toEqual(["refund-mail"]);
  for (const [sort, order] of [
    ["name", "asc"],
    ["name", "desc"],
    ["changed", "asc"],
  ] as const) {
    const all = await names({ sort, order });
    const first = await listPrompts(ctx, { sort, order, limit: 2 });
    const rest = await listPrompts(ctx, { sort, order, limit: 2, cursor: first.pagination.nextCursor! });
    expect([...first.prompts, ...rest.prompts].map(({ name }) => name)).toEqual(all);
  }
  const [listed] = (await listPrompts(ctx, { q: "refund" })).prompts;
  expect(listed).toMatchObject({
    latestVersion: 1,
    labels: [{ label: "staging", version: 1 }],
    recentCalls: { count: 0, more: false },
  });
  expect((await listPrompts(asKey("workspace:read"), {})).prompts[0]?.recentCalls).toBeNull();

  await expect(deletePrompt(asKey("models:manage"), { promptName })).rejects.toMatchObject({ code: "forbidden" });
  expect(await deletePrompt(ctx, { promptName })).toEqual({ ok: true });
  await expect(getPrompt(ctx, { promptName })).rejects.toMatchObject({ code: "not_found" });
  expect((await createPrompt(ctx, REFUND)).prompt.version).toBe(1);
  await expect(createPrompt(ctx, REFUND)).rejects.toMatchObject({ code: "conflict" });
});

test("another project's prompt of the same name is another prompt, and theirs is not found", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  await createPrompt(ours, { ...REFUND, labels: ["production"] });
  for (const refused of [
    () => getPrompt(theirs, { promptName }),
    () => renderPrompt(theirs, { promptName, variables: { user: "", tone: "" } }),
    () => listPromptVersions(theirs, { promptName }),
    () => listLabelEvents(theirs, { promptName }),
    () => promptUsage(theirs, { promptName, from: 0, to: 1 }),
    () => createPromptVersion(theirs, { promptName, content: "Theirs" }),
    () => moveLabel(theirs, { promptName, label: "production", version: 1 }),
    () => deletePrompt(theirs, { promptName }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "not_found" });
  await createPrompt(theirs, { name: promptName, content: "Theirs" });
  await createPromptVersion(theirs, { promptName, content: "Theirs too", labels: ["production"] });
  await deletePrompt(theirs, { promptName });
  expect((await getPrompt(ours, { promptName })).prompt).toMatchObject({ version: 1, content: REFUND.content });
  expect((await listLabelEvents(ours, { promptName })).events).toHaveLength(1);
});

test("the database refuses a label that is computed or malformed, and versions from 0", async () => {
  const { ctx } = await testProject();
  await createPrompt(ctx, REFUND);
  const label = (name: string) =>
    db().execute(sql`
      insert into prompt_labels (project_id, prompt_id, label, version)
      select project_id, id, ${name}, 1 from prompts where project_id = ${ctx.projectId}`);
  for (const name of ["latest", "Production", "", "a b"]) await expect(label(name)).rejects.toThrow();
  await label("fine");
  await expect(
    db().execute(sql`update prompt_versions set version = 0 where project_id = ${ctx.projectId}`),
  ).rejects.toThrow();
});
