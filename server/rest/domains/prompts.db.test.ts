import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor } from "../testing";
import { serve } from "../testing/serve";

const origin = await serve(createDispatcher(OPERATIONS));

async function client() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "workspace:read", "models:manage");
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/v1/projects/${ctx.projectId}/prompts${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
  };
}

test("a client revalidates what it read, and learns of a moved and of a removed label", async () => {
  const send = await client();
  expect((await send("POST", "", { name: "refund", content: "One", labels: ["production"] })).status).toBe(201);
  const first = await send("GET", "/refund?label=production");
  const etag = first.headers.get("etag")!;
  expect(first.body.prompt).toMatchObject({ version: 1, content: "One", chosenBy: "label", label: "production" });
  expect(first.headers.get("cache-control")).toBe("private, no-cache");

  const read = (tag: string) => send("GET", "/refund?label=production", undefined, { "if-none-match": tag });
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`])
    expect(await read(tag)).toMatchObject({ status: 304, body: null });
  expect((await read(etag)).headers.get("etag")).toBe(etag);
  expect((await read('"other"')).status).toBe(200);

  // A version that the label does not point to changes nothing of what the label gives but that it is the latest no more.
  await send("POST", "/refund/versions", { content: "Two" });
  const moved = await send("POST", "/refund/labels", { label: "production", version: 2, expectedVersion: 1 });
  expect(moved).toMatchObject({ status: 200, body: { previousVersion: 1, version: 2 } });
  const second = await read(etag);
  expect(second.body.prompt).toMatchObject({ version: 2, content: "Two" });
  expect(second.headers.get("etag")).not.toBe(etag);

  expect((await send("POST", "/refund/labels", { label: "production", version: null })).status).toBe(200);
  expect((await read(second.headers.get("etag")!)).status).toBe(404);
  expect((await send("GET", "/refund")).body.prompt).toMatchObject({ version: 2, chosenBy: "latest", label: null });
});

test("another project reads neither prompt nor ETag, and problems name the field", async () => {
  const [ours, theirs] = [await client(), await client()];
  await ours("POST", "", { name: "refund", content: "{{a}}" });
  const etag = (await ours("GET", "/refund")).headers.get("etag")!;
  expect((await theirs("GET", "/refund", undefined, { "if-none-match": etag })).status).toBe(404);
  expect(await ours("POST", "/refund/render", { variables: {} })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/variables/a" }] },
  });
  for (const name of ["", "a b", "ä", "x".repeat(101), "-a"])
    expect((await ours("POST", "", { name, content: "x" })).body.errors).toMatchObject([{ path: "/name" }]);
  expect((await ours("POST", "", { name: "blank", content: " " })).status).toBe(400);
  expect((await ours("POST", "", { name: "empty", content: [] })).status).toBe(400);
  expect((await ours("GET", "/refund?version=0")).status).toBe(400);
});
