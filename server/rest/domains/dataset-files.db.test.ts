import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createDataset, createImport, getImport, runImport } from "@/server/services/datasets";
import { contentsOf } from "@/server/services/datasets/imports/testing";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor } from "../testing";
import { serve } from "../testing/serve";

const origin = await serve(createDispatcher(OPERATIONS));

async function world() {
  const { ctx } = await testProject();
  const keys = {
    reader: await keyFor(ctx, "workspace:read"),
    uploader: await keyFor(ctx, "project:data:write"),
    manager: await keyFor(ctx, "models:manage"),
    both: await keyFor(ctx, "models:manage", "workspace:read", "project:data:read"),
  };
  const ask = (key: keyof typeof keys, method: string, path: string, body?: string | object) =>
    fetch(`${origin}/v1/projects/${ctx.projectId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keys[key]}`,
        ...(body && { "content-type": typeof body === "string" ? "application/octet-stream" : "application/json" }),
      },
      ...(body && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const upload = async (name: string, content: string) =>
    (await (await ask("uploader", "POST", `/files?name=${name}`, content)).json()).file.id as string;
  const dataset = async (name: string) => (await createDataset(ctx, { name })).dataset.id;
  return { ctx, ask, upload, dataset };
}
type World = Awaited<ReturnType<typeof world>>;

async function finish(ctx: Ctx, datasetId: string, importId: string) {
  while (!(await runImport(ctx, importId, { forMs: 5_000 })).done);
  return (await getImport(ctx, { datasetId, importId })).import;
}

/** Imports a text over HTTP, with a key that may do nothing else, and returns the finished import. */
async function importText({ ctx, ask, upload }: World, datasetId: string, content: string, more: object = {}) {
  const fileId = await upload("rows.jsonl", content);
  const reply = await ask("manager", "POST", `/datasets/${datasetId}/imports`, { fileId, ...more });
  expect(reply.status).toBe(202);
  const created = (await reply.json()).import;
  // A key that may not read the Dataset learns only that the import is queued.
  expect(created).not.toHaveProperty("fileName");
  return finish(ctx, datasetId, created.id);
}

const FILE = [
  {
    messages: [
      { role: "user", content: "Where is my order?" },
      { role: "assistant", content: "On its way." },
    ],
    tags: ["orders"],
    split: "test",
    external_id: "row-1",
  },
  {
    messages: [
      { role: "user", content: "Weather in Rome?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "21 °C" },
      { role: "assistant", content: "It is 21 °C." },
    ],
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
  },
  { prompt: "Say 🦊 twice", chosen: "🦊🦊", rejected: "fox fox" },
].map((row) => JSON.stringify(row));

test("an exported Dataset imports into another with the same content, and a second import adds nothing", async () => {
  const of = await world();
  const [first, second] = [await of.dataset("First"), await of.dataset("Second")];
  expect(await importText(of, first, FILE.join("\n"))).toMatchObject({ status: "completed", created: 3 });

  const exported = await of.ask("reader", "GET", `/datasets/${first}/export?format=lossless`);
  expect(exported.status).toBe(200);
  expect(exported.headers.get("content-type")).toContain("application/jsonl");
  expect(exported.headers.get("content-disposition")).toContain("First-v1-lossless.jsonl");
  const text = await exported.text();
  expect(text.trim().split("\n")).toHaveLength(3);

  expect(await importText(of, second, text)).toMatchObject({ status: "completed", created: 3, duplicate: 0 });
  expect(await contentsOf(of.ctx, second)).toEqual(await contentsOf(of.ctx, first));
  expect(await importText(of, second, text)).toMatchObject({ created: 0, updated: 0, duplicate: 3 });
  const again = await (await of.ask("reader", "GET", `/datasets/${second}/export`)).text();
  const contents = (jsonl: string) =>
    jsonl
      .trim()
      .split("\n")
      .map((line) => ({ ...JSON.parse(line), id: "" }));
  expect(contents(again)).toEqual(contents(text));
});

test("previews, lists, cancellations and rejected rows are served over HTTP", async () => {
  const of = await world();
  const datasetId = await of.dataset("Checked");
  const fileId = await of.upload("faq.csv", "question,answer\nWhat?,This.\nAnd?,\n");
  const at = `/datasets/${datasetId}`;
  const preview = await of.ask("both", "POST", `${at}/import-preview`, {
    fileId,
    mapping: { answer: "expectedOutput" },
  });
  expect((await preview.json()).preview).toMatchObject({ format: "csv", rowsUsable: 1, problems: [{ firstLine: 3 }] });
  const refused = await of.ask("manager", "POST", `${at}/imports`, { fileId, mapping: { answer: "nothing" } });
  expect([refused.status, (await refused.json()).errors[0].path]).toEqual([400, "/mapping/answer"]);

  const done = await importText(of, datasetId, `${FILE[0]}\nbad row\n`, { onError: "good_rows" });
  expect(done).toMatchObject({ status: "completed_with_errors", created: 1, rejected: 1 });
  const rejects = await of.ask("both", "GET", `${at}/imports/${done.id}/rejects`);
  expect(JSON.parse(await rejects.text())).toMatchObject({ line: 2, row: "bad row" });
  expect((await of.ask("reader", "GET", `${at}/imports/${done.id}/rejects`)).status).toBe(403);

  const queued = (await createImport(of.ctx, { datasetId, fileId })).import;
  const cancelled = await of.ask("both", "POST", `${at}/imports/${queued.id}/cancel`, {});
  expect((await cancelled.json()).import).toMatchObject({ status: "cancelled" });
  expect((await of.ask("both", "POST", `${at}/imports/${queued.id}/cancel`, {})).status).toBe(409);
  const { imports } = await (await of.ask("reader", "GET", `${at}/imports`)).json();
  expect(imports.map(({ status }: { status: string }) => status)).toEqual(["cancelled", "completed_with_errors"]);
  const counts = await (await of.ask("reader", "GET", `${at}/export-preview?split=test`)).json();
  expect(counts.preview).toMatchObject({ examples: 1, complete: true });
});

test("importing and exporting need the capability, and do not reach another project", async () => {
  const of = await world();
  const other = await world();
  const datasetId = await of.dataset("Closed");
  const fileId = await of.upload("rows.jsonl", FILE.join("\n"));
  const at = `/datasets/${datasetId}`;
  expect((await of.ask("reader", "POST", `${at}/imports`, { fileId })).status).toBe(403);
  expect((await of.ask("manager", "GET", `${at}/export`)).status).toBe(403);
  expect((await other.ask("both", "POST", `${at}/imports`, { fileId })).status).toBe(404);
  expect((await other.ask("both", "GET", `${at}/export`)).status).toBe(404);
  expect((await of.ask("reader", "GET", `${at}/export?version=7`)).status).toBe(404);
  expect((await of.ask("reader", "GET", `${at}/export?format=doc`)).status).toBe(400);
});
