import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { getConversation } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";

const dispatch = createDispatcher(OPERATIONS);

test("labels are changed with the capability, in the key's own project only, and only to storable values", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  await ingest(ctx, [chatSpan({ spanId: "00f067aa0ba90001", attributes: { "session.id": "a", "tag.tags": ["web"] } })]);
  const key = await keyFor(ctx, "diagnostics:read", "diagnostics:write");
  const change = async (body: object, { of = ctx, by = key } = {}) => {
    const path = `/v1/projects/${of.projectId}/conversations/a/labels`;
    const reply = await dispatch(requestTo("PATCH", path, { key: by, body }));
    return { status: reply.status, body: await reply.json() };
  };

  const changed = { conversation: { externalId: "a", labels: ["vip", "web"], ownLabels: ["vip"] } };
  expect(await change({ add: ["vip"] })).toMatchObject({ status: 200, body: { ...changed, added: ["vip"] } });
  expect(await change({ add: ["vip"], remove: ["web"] })).toMatchObject({
    status: 200,
    body: { ...changed, added: [], removed: [] },
  });

  const reader = await keyFor(ctx, "diagnostics:read", "project:data:read");
  expect(await change({ add: ["x"] }, { by: reader })).toMatchObject({ status: 403 });
  const theirs = await keyFor(other.ctx, "diagnostics:write");
  expect(await change({ add: ["x"] }, { by: theirs, of: other.ctx })).toMatchObject({ status: 404 });
  expect(await change({ add: ["x"] }, { by: theirs })).toMatchObject({ status: 404 });
  for (const add of [["a\u0000b"], ["a\uD800"]]) {
    expect(await change({ add })).toMatchObject({ status: 400, body: { errors: [{ path: "/add/0" }] } });
  }
  expect(await change({ add: ["x"], remove: ["x"] })).toMatchObject({
    status: 400,
    body: { errors: [{ path: "/remove" }] },
  });
  expect(await change({})).toMatchObject({ status: 400 });
  const { labels, ownLabels } = (await getConversation(ctx, { conversationId: "a" })).conversation;
  expect({ labels, ownLabels }).toEqual({ labels: ["vip", "web"], ownLabels: ["vip"] });
});
