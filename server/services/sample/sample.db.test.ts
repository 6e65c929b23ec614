import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { trainers as trainerRows } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { AccountCtx, Ctx, ProjectId } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { createApiKey } from "@/server/services/api-keys";
import { listDatasets, listExamples } from "@/server/services/datasets";
import { deleteProject, runDeletion } from "@/server/services/deletion";
import { filesNaming, tablesNaming } from "@/server/services/deletion/testing";
import {
  addFindingNote,
  findingTimeline,
  getFinding,
  listFindingEvents,
  listFindings,
  listFixes,
  measureDueFixes,
  updateFinding,
} from "@/server/services/diagnostics";
import { joinDefaultProjects } from "@/server/services/members";
import { downloadCheckpointFile, listCheckpoints } from "@/server/services/models";
import { getPerson } from "@/server/services/people";
import { listProjects } from "@/server/services/projects";
import { getPrompt, listPromptVersions } from "@/server/services/prompts";
import { certifyCheckpoint, listEvaluationRows, listEvaluations, listVariants } from "@/server/services/proof";
import { createSavedView } from "@/server/services/saved-views";
import { deployCheckpoint } from "@/server/services/serving";
import { changeLabels, createFeedback, listConversations } from "@/server/services/telemetry";
import { listTrainers } from "@/server/services/trainers";
import { createJob, getMetrics, listJobs } from "@/server/services/training";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";
import { failSampleLoad, loadSample, runSampleLoad, unfinishedSamples } from ".";
import { ADVICE_DATASET, fixByPrompt } from "./fix-by-prompt";
import { findingOf, SAMPLE_DATASET } from "./make-examples";
import { ADVICE_PROMPT, ADVICE_VERSIONS } from "./story/advice";
import { countOf, PLANTED, plannedConversations } from "./story/plan";
import { trainAndProve } from "./training";

const LOAD_MS = 120_000;
const NEVER = new AbortController().signal;

async function person(): Promise<AccountCtx> {
  const { userId } = await testProject();
  return { db: db(), userId };
}

/** Loads a person's sample as the background job and the command line do concurrently, in many short turns. */
async function loadedBy(account: AccountCtx): Promise<Ctx> {
  const { project } = await loadSample(account, {});
  const projectId = project.id as ProjectId;
  const job: Ctx = { db: db(), projectId, actor: { kind: "job", name: "load-sample" } };
  const load = async () => {
    while (!(await runSampleLoad(job, { forMs: 200 })).done);
  };
  await Promise.all([load(), load()]);
  return { db: db(), projectId, actor: { kind: "user", userId: account.userId, role: "owner" } };
}

/** Deletes a project completely. */
async function deleted(ctx: Ctx, name: string) {
  const { deletion } = await deleteProject(ctx, { name });
  while (!(await runDeletion(db(), deletion.id, { forMs: 5_000, jobName: "delete-data" })).done);
  return deletion;
}

let owner: AccountCtx;
let ctx: Ctx;
beforeAll(async () => {
  owner = await person();
  ctx = await loadedBy(owner);
}, LOAD_MS);

const plantedFinding = async (kind: keyof typeof PLANTED) => {
  const found = await findingOf(ctx, PLANTED[kind]);
  return (await getFinding(ctx, { findingId: found!.id })).finding;
};

test("the sample's conversations are the same at every load", () => {
  const at = Date.UTC(2026, 10, 25, 3);
  expect(plannedConversations(at)).toEqual(plannedConversations(at));
  const kindsOf = (until: number) => plannedConversations(until).map(({ kind, release }) => `${kind} ${release}`);
  expect(kindsOf(at + 5 * DAY_MS + 7_000_000)).toEqual(kindsOf(at));
});

test("the sample has 400 conversations of the last 14 days, with every successful call priced", async () => {
  const [found] = await db().execute(sql`
    select count(*)::int as conversations, bool_and(c.last_activity_at between s.created_at - ${14 * DAY_MS} and s.created_at) as recent,
      count(distinct user_id)::int > 100 as many_users
    from conversations c join sample_projects s using (project_id) where project_id = ${ctx.projectId}`);
  expect(found).toEqual({ conversations: 400, recent: true, many_users: true });
  const [calls] = await db().execute(sql`
    select count(*) filter (where cost is null and status = 'ok')::int as unpriced, count(distinct response_model)::int as models
    from model_calls where project_id = ${ctx.projectId}`);
  expect(calls).toEqual({ unpriced: 0, models: 4 });
});

test("the Rules find exactly the six planted kinds of failure and three related ones", async () => {
  const { findings } = await listFindings(ctx, { limit: 100 });
  const counts: Record<string, number> = {};
  for (const { signal, occurrenceCount } of findings) counts[signal] = (counts[signal] ?? 0) + occurrenceCount;
  const kinds = Object.keys(PLANTED) as (keyof typeof PLANTED)[];
  const planted = Object.fromEntries(kinds.map((kind) => [PLANTED[kind].signal, countOf(kind)]));
  expect(counts).toEqual({
    ...planted,
    tool_error: countOf("mistypedOrder"),
    rate_limited: countOf("rateLimited"),
    negative_feedback: counts.negative_feedback,
  });
  expect(counts.negative_feedback).toBeLessThan(15);
  for (const kind of kinds) expect((await plantedFinding(kind)).occurrenceCount).toBe(countOf(kind));
});

test("a Finding fixed by a release stays resolved, and its daily rate falls to zero", async () => {
  const finding = await plantedFinding("englishInstead");
  expect(finding).toMatchObject({ reviewStatus: "confirmed", resolutionStatus: "resolved", regressedAt: null });
  const { days, markers, fix } = await findingTimeline(ctx, { findingId: finding.id });
  const sum = (some: typeof days) => some.reduce((total, { affected }) => total + affected, 0);
  const resolvedDay = Math.floor(finding.resolvedAt! / DAY_MS) * DAY_MS;
  expect(sum(days.filter(({ day }) => day > resolvedDay))).toBe(0);
  expect(sum(days)).toBe(countOf("englishInstead"));
  expect(fix).toMatchObject({
    verdict: "proven",
    before: { affected: countOf("englishInstead") },
    since: { affected: 0 },
  });
  const release = markers.find(({ name }) => name === "2.4.1");
  expect(Math.abs(release!.at - finding.resolvedAt!)).toBeLessThan(DAY_MS / 2);
});

test("the fix of a rare Finding is not proven by the few conversations since", async () => {
  const finding = await plantedFinding("ignoredCorrection");
  expect(finding).toMatchObject({ resolutionStatus: "resolved" });
  const { fix } = await findingTimeline(ctx, { findingId: finding.id });
  expect(fix).toMatchObject({ verdict: "not_enough", since: { affected: 0, conversations: 93 } });
  expect(fix!.difference!.high).toBeGreaterThan(0);
});

test("a Finding that recurs after its fix is marked as regressed", async () => {
  const finding = await plantedFinding("loop");
  expect(finding).toMatchObject({ resolutionStatus: "unresolved", trend: "regressed" });
  expect((await findingTimeline(ctx, { findingId: finding.id })).fix).toMatchObject({ verdict: "regressed" });
  const { events } = await listFindingEvents(ctx, { findingId: finding.id });
  const at = Object.fromEntries(events.map((event) => [event.kind, event.at]));
  expect(at.created).toBeLessThan(at.resolved!);
  expect(at.resolved).toBeLessThan(at.regressed!);
  expect(at.regressed).toBeLessThan(Date.now() - DAY_MS / 2);
});

test("the sample's Dataset has German answers, with no customer and no answer in both splits", async () => {
  const { datasets } = await listDatasets(ctx, {});
  expect(datasets.map(({ name }) => name)).toEqual([SAMPLE_DATASET, ADVICE_DATASET]);
  const datasetId = datasets[0]!.id;
  const { examples } = await listExamples(ctx, { datasetId, limit: 100 });
  const [train, test] = (["train", "test"] as const).map((split) => examples.filter((one) => one.split === split));
  expect([train!.length, test!.length]).toEqual([countOf("german"), countOf("englishInstead")]);
  const answersOf = (some: typeof examples) => some.map(({ payload }) => payload.expectedOutput.message.content);
  expect(answersOf(test!).filter((answer) => answersOf(train!).includes(answer))).toEqual([]);
  const [customers] = await db().execute(sql`
    select count(user_id)::int as examples, count(distinct user_id)::int as different from example_revisions
    where project_id = ${ctx.projectId} and dataset_id = ${datasetId} and to_version is null`);
  expect(customers).toEqual({ examples: examples.length, different: examples.length });
  const said = examples.map(({ payload }) => payload.expectedOutput.message.content as string);
  expect(said.filter((text) => /\b(?:the|you|with)\b/.test(text))).toEqual([]);
});

const CHECKPOINT_FILE = "model/model.safetensors";

test("the sample's tiny model was trained on those Examples with a falling loss, and can be downloaded without a trainer", async () => {
  const { jobs } = await listJobs(ctx, {});
  expect(jobs).toHaveLength(1);
  const [job] = jobs;
  expect(job).toMatchObject({ status: "succeeded", stopReason: "completed", manifest: { rows: 41 }, staleSince: null });
  expect(job!.resolvedSpec).toMatchObject({
    manifest: { sha256: job!.manifest.sha256 },
    training: { lrSchedulerType: "cosine" },
  });
  expect(job!.finishedAt! - job!.startedAt!).toBeGreaterThan(1_000);
  expect(job!.createdAt).toBeLessThanOrEqual(job!.startedAt!);
  expect(job!.finishedAt).toBeLessThanOrEqual(Date.now());
  const { metrics } = await getMetrics(ctx, { jobId: job!.id });
  const loss = metrics.find(({ series }) => series === "train_loss")!.mean;
  expect(loss.at(-1)).toBeLessThan(loss[0]! / 10);

  const { checkpoints } = await listCheckpoints(ctx, {});
  const final = checkpoints.find(({ isFinal }) => isFinal)!;
  const file = final.files.find(({ path }) => path === CHECKPOINT_FILE)!;
  const sent = await downloadCheckpointFile(ctx, { checkpointId: final.id, path: file.path }, { signal: NEVER });
  const hash = createHash("sha256");
  for await (const part of sent.body as AsyncIterable<Uint8Array>) hash.update(part);
  expect(hash.digest("hex")).toBe(file.sha256);
});

test("the model's proof is proven by answers to held-out questions that are the expected ones, word for word", async () => {
  const { id: findingId } = await plantedFinding("englishInstead");
  const { evaluations } = await listEvaluations(ctx, { findingId });
  const [proof] = evaluations;
  expect(proof).toMatchObject({
    status: "succeeded",
    verdict: "proven",
    selection: { selected: 21, trainedOn: 0, nearCopies: 1, changed: 0, seenOnly: false },
    proof: {
      foundBefore: 19,
      foundAfter: 0,
      because: null,
      right: {
        gained: 15,
        lost: 0,
        tries: 2,
        decidedBy: { match: 15 },
        checksNeeded: 0,
        before: { right: 0 },
        after: { right: 15, goneNotRight: 6, notJudged: 0 },
      },
    },
  });
  const { rows } = await listEvaluationRows(ctx, { evaluationId: proof!.id, limit: 100 });
  expect(rows.find(({ prompt }) => prompt.at(-1)!.content.includes("Garantie hat das Cairn-Hemd"))).toMatchObject({
    outcome: "win",
    reference: expect.stringContaining("24 Monaten"),
    before: { content: expect.stringContaining("has a warranty of 24 months") },
    after: { content: expect.stringContaining("hat eine Garantie von 24 Monaten") },
  });
  expect(rows.find(({ prompt }) => prompt.at(-1)!.content.includes("kostet die Lumen-Stirnlampe"))).toMatchObject({
    outcome: "tie",
    reason: "gone_not_right",
    reference: expect.stringContaining("44,90"),
    after: { content: expect.stringContaining("wiegt 95 Gramm") },
  });
  const compared = (await listEvaluations(ctx, {})).evaluations.find(({ kind }) => kind === "examples")!;
  expect(compared).toMatchObject({
    status: "succeeded",
    total: 21,
    selection: { splits: { test: 21 }, seenOnly: false },
    comparison: { win: 15, tie: 6, loss: 0 },
  });
});

test("the proof of the first checkpoint failed: it mixes the languages and is rarely right", async () => {
  const { id: findingId } = await plantedFinding("englishInstead");
  const { evaluations } = await listEvaluations(ctx, { findingId });
  expect(evaluations).toHaveLength(2);
  const [, failed] = evaluations;
  expect(failed).toMatchObject({
    status: "succeeded",
    verdict: "not_proven",
    proof: { foundBefore: 19, because: "unclear", right: { gained: 5, lost: 0, tries: 1, after: { right: 5 } } },
  });
  const { rows } = await listEvaluationRows(ctx, { evaluationId: failed!.id, limit: 100 });
  expect(rows.map(({ after }) => after?.content)).toContain(
    "Das Gale tent weighs 1900 grams if you do not count the packaging.",
  );
});

test("a variant of the advice agent's prompt is proven, released as the prompt's second version and watched since", async () => {
  const { id: findingId } = await plantedFinding("refusedAdvice");
  const { variants } = await listVariants(ctx, { findingId });
  expect(variants).toMatchObject([{ version: 1, connectionName: expect.stringContaining("written for the sample") }]);
  const [basedOn, systemPrompt] = ADVICE_VERSIONS;
  expect(variants[0]).toMatchObject({ basedOn, systemPrompt });
  const { evaluations } = await listEvaluations(ctx, { findingId });
  expect(evaluations).toMatchObject([
    {
      variantId: variants[0]!.id,
      status: "succeeded",
      verdict: "proven",
      cost: 0,
      proof: { n: 16, foundBefore: 16, foundAfter: 1, right: { gained: 14, lost: 0, tries: 1 } },
    },
  ]);
  const { prompt } = await getPrompt(ctx, { promptName: ADVICE_PROMPT });
  expect(prompt).toMatchObject({ version: 2, labels: ["production", "latest"], content: systemPrompt });
  await measureDueFixes(db());
  const { fixes } = await listFixes(ctx, { findingId });
  expect(fixes).toMatchObject([
    {
      by: "prompt",
      value: `${ADVICE_PROMPT} 2`,
      kind: "prompt",
      verdict: "proven",
      measured: {
        before: { affected: countOf("refusedAdvice"), conversations: countOf("refusedAdvice") + 8 },
        since: { affected: 0, conversations: countOf("advice") - 8 },
      },
    },
  ]);
  const at = [variants[0]!.createdAt, evaluations[0]!.finishedAt!, fixes[0]!.createdAt, fixes[0]!.startedAt!];
  expect(at).toEqual(at.toSorted((a, b) => a - b));
});

test("fixing by a prompt again changes nothing", async () => {
  const { id: findingId } = await plantedFinding("refusedAdvice");
  const shown = async () => [
    await listVariants(ctx, {}),
    await listEvaluations(ctx, { findingId }),
    (await listFixes(ctx, { findingId })).fixes.map(({ id, createdAt }) => [id, createdAt]),
    await listPromptVersions(ctx, { promptName: ADVICE_PROMPT }),
    await listDatasets(ctx, {}),
  ];
  const before = await shown();
  const [sample] = await db().execute(sql`select created_at from sample_projects where project_id = ${ctx.projectId}`);
  const until = Number(sample!.created_at);
  await Promise.all([fixByPrompt(ctx, { until }), fixByPrompt(ctx, { until })]);
  expect(await shown()).toEqual(before);
});

test("the recorded model cannot be deployed, certified or trained further, and training needs a trainer", async () => {
  const { checkpoints } = await listCheckpoints(ctx, {});
  expect(checkpoints.map((checkpoint) => checkpoint.recorded)).toEqual(checkpoints.map(() => true));
  const { id } = checkpoints.find(({ isFinal }) => isFinal)!;
  const recorded = { code: "unprocessable", message: expect.stringContaining("recorded") };
  await expect(deployCheckpoint(ctx, { checkpointId: id })).rejects.toMatchObject(recorded);
  await expect(certifyCheckpoint(ctx, { checkpointId: id, forms: [{ kind: "merged-16bit" }] })).rejects.toMatchObject(
    recorded,
  );
  const { datasets } = await listDatasets(ctx, {});
  const asked = { datasetId: datasets[0]!.id, method: "sft", adapter: "full" } as const;
  await expect(createJob(ctx, { ...asked, baseModel: { checkpointId: id } })).rejects.toMatchObject(recorded);
  const untrained = { ...asked, baseModel: { id: "/models/shop-tiny", source: "local" } } as const;
  await expect(createJob(ctx, untrained)).rejects.toMatchObject({ code: "not_implemented" });
});

test("another project does not see the sample's model, and has no trainer", async () => {
  const { checkpoints } = await listCheckpoints(ctx, {});
  const { ctx: neighbour } = await testProject();
  expect((await listJobs(neighbour, {})).jobs).toEqual([]);
  expect((await listTrainers(ctx, {})).trainers).toEqual([]);
  await attachTrainer();
  try {
    expect((await listJobs(neighbour, {})).jobs).toEqual([]);
    expect((await listCheckpoints(neighbour, {})).checkpoints).toEqual([]);
    const asked = { checkpointId: checkpoints[0]!.id, path: CHECKPOINT_FILE };
    await expect(downloadCheckpointFile(neighbour, asked, { signal: NEVER })).rejects.toMatchObject({
      code: "not_found",
    });
    const { trainers } = await listTrainers(ctx, {});
    expect(trainers.map(({ id }) => id)).not.toContain("trn_recorded");
  } finally {
    await db().delete(trainerRows);
  }
});

test("running the training and the proof again changes nothing", async () => {
  const shown = async () => [await listJobs(ctx, {}), await listCheckpoints(ctx, {}), await listEvaluations(ctx, {})];
  const before = await shown();
  await Promise.all([trainAndProve(ctx), trainAndProve(ctx)]);
  expect(await shown()).toEqual(before);
});

test("the sample is loaded once per person, each with their own", async () => {
  const again = await loadSample(owner, {});
  expect(again).toMatchObject({ created: false, project: { id: ctx.projectId, sample: "ready" } });
  const other = await person();
  const [one, two] = await Promise.all([loadSample(other, {}), loadSample(other, {})]);
  expect(one.project.id).toBe(two.project.id);
  expect(one.project.id).not.toBe(ctx.projectId);
  expect(await unfinishedSamples(db())).toContainEqual({ id: one.project.id, projectId: one.project.id });
  const { projects } = await listProjects(other, {});
  expect(projects.map(({ name, sample }) => [name, sample])).toEqual([
    ["Sample shop", "loading"],
    ["Test project", null],
  ]);
});

test("a failed load is resumed by loading again", async () => {
  const account = await person();
  const { project } = await loadSample(account, {});
  const job: Ctx = { db: db(), projectId: project.id as ProjectId, actor: { kind: "job", name: "load-sample" } };
  await failSampleLoad(job, "The disk was full.");
  expect((await runSampleLoad(job, { forMs: 1 })).done).toBe(true);
  expect((await loadSample(account, {})).project.sample).toBe("loading");
  expect((await runSampleLoad(job, { forMs: 1 })).done).toBe(false);
});

test("an unresolved Finding has no fix to prove", async () => {
  const { id } = await plantedFinding("wrongRefund");
  expect((await findingTimeline(ctx, { findingId: id })).fix).toBeNull();
});

test("loading the sample needs the right to create projects", async () => {
  const account = await person();
  await db().execute(sql`update users set may_create_projects = false where id = ${account.userId}`);
  await expect(loadSample(account, {})).rejects.toMatchObject({ code: "forbidden" });
});

test("the sample is not counted in the installation's totals", async () => {
  const { person: shown } = await getPerson({ db: db(), operator: true }, { userId: owner.userId });
  expect(shown).toMatchObject({ projectCount: 1, projects: [{ name: "Test project" }] });
});

test(
  "a deleted sample leaves nothing in any table or file, and another sample is unchanged",
  async () => {
    const [account, neighbour] = [await person(), ctx];
    const own = await loadedBy(account);
    const before = await tablesNaming(db(), neighbour.projectId);
    const { conversations } = await listConversations(own, { limit: 3 });
    const conversationId = conversations[0]!.id;
    const { findings } = await listFindings(own, {});
    const findingId = findings[0]!.id;
    await changeLabels(own, { conversationId, add: ["looked at"] });
    await createFeedback(own, { conversationId, kind: "thumb", value: "down" });
    await updateFinding(own, { findingId, reviewStatus: "confirmed", assigneeId: "me" });
    await addFindingNote(own, { findingId, text: "Seen by me." });
    const { jobs } = await listJobs(own, {});
    const { checkpoints } = await listCheckpoints(own, {});
    const { evaluations } = await listEvaluations(own, {});
    const trained = [...jobs, ...checkpoints, ...evaluations].map(({ id }) => id);
    expect(trained.length).toBeGreaterThan(3);
    const { datasetId } = jobs[0]!;
    expect(await filesNaming(datasetId)).toHaveLength(1);
    await createSavedView(own, { list: "conversations", name: "Failing", query: "errors=true", shared: true });
    expect(Object.keys(await tablesNaming(db(), own.projectId)).length).toBeGreaterThan(15);

    const { id } = await deleted(own, "Sample shop");
    expect(await tablesNaming(db(), own.projectId)).toEqual({});
    expect(await tablesNaming(db(), conversationId)).toEqual({});
    for (const one of trained) expect(await tablesNaming(db(), one)).toEqual({});
    // The event that started the deletion expires on its own; it contains only the receipt's id.
    expect(Object.keys(await tablesNaming(db(), id))).toEqual(["job_events"]);
    expect([...(await filesNaming(own.projectId)), ...(await filesNaming(datasetId))]).toEqual([]);
    expect(await tablesNaming(db(), neighbour.projectId)).toEqual(before);
    expect((await loadSample(account, {})).created).toBe(true);
  },
  LOAD_MS,
);

test("a sample deleted while it is loading leaves nothing", async () => {
  const account = await person();
  const { project } = await loadSample(account, {});
  const job: Ctx = { db: db(), projectId: project.id as ProjectId, actor: { kind: "job", name: "load-sample" } };
  expect((await runSampleLoad(job, { forMs: 1 })).done).toBe(false);
  await deleted({ ...job, actor: { kind: "user", userId: account.userId, role: "owner" } }, project.name);
  expect((await runSampleLoad(job, { forMs: 1_000 })).done).toBe(true);
  expect(await tablesNaming(db(), project.id)).toEqual({});
});

test("a sample with an API key leaves a receipt when it is deleted", async () => {
  const account = await person();
  const { project } = await loadSample(account, {});
  const own: Ctx = {
    db: db(),
    projectId: project.id as ProjectId,
    actor: { kind: "user", userId: account.userId, role: "owner" },
  };
  await createApiKey(own, { name: "Exporter", capabilities: ["telemetry:write"] });
  await deleted(own, project.name);
  expect(Object.keys(await tablesNaming(db(), project.id)).sort()).toEqual(["account_audit_log", "deletion_receipts"]);
});

test("a person who joins every project by default does not join samples", async () => {
  const newcomer = await person();
  const [own] = (await listProjects(newcomer, {})).projects;
  const joining = { userId: newcomer.userId, role: "viewer", projects: "*", except: own!.id } as const;
  await joinDefaultProjects(db(), joining, { requestId: "req_sample", address: null, door: "page" });
  const { projects } = await listProjects(newcomer, {});
  expect(projects.length).toBeGreaterThan(1);
  expect(projects.filter(({ sample }) => sample !== null)).toEqual([]);
});
