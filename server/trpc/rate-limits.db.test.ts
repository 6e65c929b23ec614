import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { memberships } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { cookieFor, countOf, expectSpent, requestTo } from "@/server/rest/testing";
import { createRateLimiter } from "@/server/services/rate-limits";
import { createTrpcHandler } from "./handler";

/** In its own file because the environment is read once. */
Object.assign(process.env, { RATE_LIMIT_KEY_REQUESTS: "20", RATE_LIMIT_PROJECT_REQUESTS: "30" });

const processes = [createTrpcHandler(createRateLimiter()), createTrpcHandler(createRateLimiter())] as const;

async function visitor() {
  const { ctx, userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const encoded = (input: object) => encodeURIComponent(JSON.stringify(input));
  const ask = (n: number, as = cookie) =>
    processes[n % 2 === 0 ? 0 : 1](
      requestTo("GET", `/api/trpc/projects.get?input=${encoded({ projectId: ctx.projectId })}`, {
        cookie: as,
      }),
    );
  return { ctx, userId, cookie, ask };
}

test("a person and a project each have one limit across all processes", async () => {
  const { ctx, ask } = await visitor();
  const begun = Date.now();
  const ofOne = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)));
  expectSpent(ofOne, 20, begun, processes.length);

  const { userId } = await testProject();
  await db().insert(memberships).values({ projectId: ctx.projectId, userId, role: "viewer" });
  const { cookie } = await cookieFor(userId);
  const ofAnother = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n, cookie)));
  expectSpent([...ofOne, ...ofAnother], 30, begun, processes.length);
  const refused = ofAnother.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(await refused?.json()).toMatchObject({
    error: {
      message: expect.stringContaining('"project"'),
      data: { code: "TOO_MANY_REQUESTS", reason: "rate_limited", retryAfter: expect.any(Number) },
    },
  });
});

test("a person's tRPC calls and /v1 requests share one limit, and each call of a batch counts", async () => {
  const { ctx, cookie } = await visitor();
  const input = { projectId: ctx.projectId };
  const inputs = encodeURIComponent(JSON.stringify(Object.fromEntries(Array(15).fill(input).entries())));
  const paths = Array(15).fill("projects.get").join(",");
  const begun = Date.now();
  const batch = await processes[0](requestTo("GET", `/api/trpc/${paths}?batch=1&input=${inputs}`, { cookie }));
  expect(batch.status).toBe(200);
  const send = createDispatcher(OPERATIONS);
  const replies = await Promise.all(
    Array.from({ length: 15 }, () => send(requestTo("GET", `/v1/projects/${ctx.projectId}`, { cookie }))),
  );
  expectSpent(replies, 5, begun, processes.length);
});

test("requests of a person who is not a member do not use up the project's limit", async () => {
  const { ask } = await visitor();
  const stranger = await cookieFor((await testProject()).userId);
  const refused = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n, stranger.cookie)));
  expect(countOf(refused, 404)).toBe(40);
  expect((await ask(0)).status).toBe(200);
});
