import { afterAll, expect, test } from "vitest";
import type { z } from "zod";
import { namesAThing, placeOf } from "@/db/testing/things";
import { createDispatcher } from "@/server/rest/dispatcher";
import { exampleOf } from "@/server/rest/openapi/example";
import { jsonSchemaOf } from "@/server/rest/openapi/json-schema";
import { type Operation, parametersOf } from "@/server/rest/operation";
import { OPERATIONS } from "@/server/rest/operations";
import { requestTo } from "@/server/rest/testing";
import { verbsOfServices } from "@/server/rest/testing/all-verbs";
import { hex, rowsOf, type Tenant, tenant } from "@/server/rest/testing/tenant";
import { handleTrpc } from "@/server/trpc/handler";
import { appRouter } from "@/server/trpc/root";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";

const dispatch = createDispatcher(OPERATIONS);
const trainer = await new ScriptedTrainer().start();
await attachScripted(trainer);
afterAll(() => trainer.stop());

const ID = /\b(?:[a-z]{2,4}_[0-9a-f]{32}|[0-9a-f]{32}|[0-9a-f]{16})\b/g;
/** Returns whatever could reveal a project: its ids, both ours and the client's, and its mark. */
const traitsOf = (rows: object, { mark, ctx, userId }: Tenant) =>
  new Set([mark, ctx.projectId, userId, ...(JSON.stringify(rows).match(ID) ?? [])]);

/** Tables that change even when a request is refused: usage of a key, remaining quota. */
const NOT_CONTENT = new Set(["rate_buckets", "api_keys"]);
const contentOf = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !NOT_CONTENT.has(name)));

type Input = Record<string, unknown>;
const exampleInput = (input: z.ZodType): Input => {
  const example = exampleOf(jsonSchemaOf(input, "input")) as Input;
  delete example.cursor;
  return example;
};

/** Returns the input schema of an operation; operations that read a stream have their own tests. */
function inputOf(operation: Operation) {
  if ("verb" in operation) return operation.verb.spec.input;
  return "stream" in operation && !operation.stream.spec.consumes ? operation.stream.spec.input : undefined;
}

test("another tenant's ids reveal and change nothing of theirs, in any field of any interface", async () => {
  const theirs = await tenant(`zulu${hex(8)}`);
  const ours = await tenant(`alfa${hex(8)}`);
  const rows = await rowsOf(theirs.ctx);
  // A digest of content that both tenants have belongs to neither.
  const shared = traitsOf(await rowsOf(ours.ctx), ours);
  const traits = [...traitsOf(rows, theirs)].filter((trait) => !shared.has(trait));
  const idOf = (parameter: string): string => {
    const place = placeOf(parameter);
    return place ? String(rows[place.table]?.[0]?.[place.id] ?? "none_1") : "tool-failure";
  };
  for (const name of [
    "findings",
    "occurrences",
    "rule_runs",
    "ingest_receipts",
    "invitations",
    "tool_calls",
    "model_price_definitions",
    "job_runs",
    "connections",
    "notification_rules",
    "alerts",
    "alert_firings",
    "saved_views",
    "share_links",
    "prompts",
    "prompt_labels",
    "prompt_label_events",
    "deliveries",
    "work_items",
    "tracker_deliveries",
    "handoff_rules",
    "backfills",
    "training_jobs",
    "checkpoints",
    "tuning_configs",
    "base_models",
    "deployments",
    "rollout_decisions",
    "parity_certificates",
    "model_exports",
    "variants",
    "fixes",
    "gateway_aliases",
    "gateway_budgets",
    "gateway_experiments",
  ]) {
    expect(rows[name]?.length, `${name} has rows`).toBeGreaterThan(0);
  }

  const told: string[] = [];
  let tried = 0;
  async function look(what: string, asked: string, reply: Response) {
    tried++;
    const text = `${await reply.text()} ${[...reply.headers].join(" ")}`;
    for (const trait of traits) if (text.includes(trait) && !asked.includes(trait)) told.push(`${what} tells ${trait}`);
    if (reply.status >= 500) told.push(`${what} is ${reply.status}`);
  }

  const callers = [
    { as: "a key", sent: { key: ours.key } },
    { as: "a member", sent: { cookie: ours.cookie, headers: { "sec-fetch-site": "same-origin" } } },
  ];
  const last = (one: Operation) => Number(one.method === "DELETE" && one.path === "/projects/:projectId");
  const operations = [...OPERATIONS].sort((a, b) => last(a) - last(b)).filter((one) => inputOf(one));
  for (const { as, sent } of callers) {
    for (const operation of operations) {
      const schema = inputOf(operation);
      if (!schema || (last(operation) && as === "a key")) continue;
      const { method, path } = operation;
      const input = exampleInput(schema);
      const own = Object.fromEntries(
        parametersOf(path)
          .filter((name) => name !== "projectId")
          .map((name) => [name, idOf(name)]),
      );
      // The other tenant's ids in the body and the query as well, wherever a name indicates an id.
      const rest = Object.fromEntries(
        Object.entries(input)
          .filter(([name]) => !(name in own))
          .map(([name, value]) => [name, namesAThing(name) ? idOf(name) : value]),
      );
      for (const projectId of last(operation) ? [theirs.ctx.projectId] : [ours.ctx.projectId, theirs.ctx.projectId]) {
        let address = `/v1${path.replace(":projectId", projectId)}`;
        for (const [name, id] of Object.entries(own)) address = address.replace(`:${name}`, id);
        const takesBody = method !== "GET" && method !== "DELETE";
        const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
        for (const search of takesBody ? [""] : ["", `?${query}`]) {
          const reply = await dispatch(
            requestTo(method, address + search, { ...sent, ...(takesBody ? { body: rest } : {}) }),
          );
          if (method !== "GET" && Object.keys(own).some(namesAThing) && reply.status < 400) {
            told.push(`${as}: ${method} ${path} did something to a thing of theirs`);
          }
          await look(
            `${as}: ${method} ${path} of ${projectId === ours.ctx.projectId ? "ours" : "theirs"}`,
            `${address}${search}${JSON.stringify(rest)}`,
            reply,
          );
        }
      }
    }
  }

  const specs = new Map((await verbsOfServices()).map(({ verb }) => [verb.spec.name, verb.spec]));
  const procedures = appRouter._def.procedures as unknown as Record<
    string,
    { _def: { type: string; meta?: { verb?: string } } }
  >;
  for (const [path, { _def }] of Object.entries(procedures)) {
    const spec = _def.meta?.verb ? specs.get(_def.meta.verb) : undefined;
    // Ending our own session or account would end the test.
    if (!spec || spec.name === "projects.delete" || spec.name.startsWith("account.")) continue;
    for (const projectId of spec.scope === "project"
      ? [ours.ctx.projectId, theirs.ctx.projectId]
      : [theirs.ctx.projectId]) {
      const input: Input = {
        ...Object.fromEntries(
          Object.entries(exampleInput(spec.input)).map(([name, value]) => [
            name,
            namesAThing(name) ? idOf(name) : value,
          ]),
        ),
        ...(spec.scope === "project" ? { projectId } : {}),
      };
      if ("projectId" in input) input.projectId = projectId;
      const text = JSON.stringify(input);
      const sent = {
        cookie: ours.cookie,
        headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
      };
      const reply = await handleTrpc(
        _def.type === "query"
          ? requestTo("GET", `/api/trpc/${path}?input=${encodeURIComponent(text)}`, sent)
          : requestTo("POST", `/api/trpc/${path}`, { ...sent, body: text }),
      );
      await look(`tRPC ${path}`, text, reply);
    }
  }

  expect(told.slice(0, 20)).toEqual([]);
  expect(tried).toBeGreaterThan(operations.length * 4);
  expect(contentOf(await rowsOf(theirs.ctx))).toEqual(contentOf(rows));
  expect((await rowsOf(theirs.ctx)).api_keys?.map(({ revoked_at }) => revoked_at)).toEqual(
    rows.api_keys?.map(({ revoked_at }) => revoked_at),
  );
});
