import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { READS } from "@/bench/scale/reads";
import { operations } from "@/server/operations";
import type { Row } from "@/server/operations/row";
import { INSTALLATION_RIGHTS } from "@/server/platform/capabilities";
import { type Operation, parametersOf } from "@/server/rest/operation";
import { OPERATIONS } from "@/server/rest/operations";
import { filesIn, streamVerbsOfServices, verbsOfServices } from "@/server/rest/testing/all-verbs";
import { appRouter } from "@/server/trpc/root";

const verbs = await verbsOfServices();
const overRest = new Set(OPERATIONS.flatMap((one) => ("verb" in one ? [one.verb.spec.name] : [])));
const procedures = appRouter._def.procedures as unknown as Record<
  string,
  { _def: { type: string; meta?: { verb?: string } } }
>;
const overTrpc = new Map(
  Object.values(procedures).flatMap(({ _def }) => (_def.meta?.verb ? [[_def.meta.verb, _def.type]] : [])),
);
const tests = ["server", "cli", "inngest", "app", "tests"]
  .flatMap((folder) => filesIn(folder, ".test.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

test("operations are found", () => {
  expect(verbs.length).toBeGreaterThan(20);
});

test.each(verbs)("$exported has a unique name, a summary, a capability, entries and a test", ({ exported, verb }) => {
  const { spec } = verb;
  expect(spec.name).toMatch(/^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/);
  expect(spec.summary).toMatch(/^[A-Z].*\.$/s);
  expect(verbs.filter((other) => other.verb.spec.name === spec.name)).toHaveLength(1);
  if (spec.scope === "project") expect(spec.capability.length).toBeGreaterThan(0);
  if (spec.scope === "installation") expect(INSTALLATION_RIGHTS).toContain(spec.right);
  // Operations on accounts and the installation are for pages only: a key has no person.
  expect(overRest.has(spec.name), "has an address in server/operations").toBe(spec.scope === "project");
  expect(overTrpc.get(spec.name), "has a row in server/operations").toBe(spec.effect === "read" ? "query" : "mutation");
  expect(new RegExp(`\\b${exported}\\b`).test(tests), `${exported} is in no test`).toBe(true);
});

const rows = Object.entries(operations).flatMap(([subject, actions]) =>
  Object.entries(actions as Record<string, Row>).map(([action, row]) => [`${subject}.${action}`, row] as const),
);

test.each(rows)("the row %s has its verb's name", (name, { verb }) => {
  expect(verb.spec.name).toBe(name);
});

test("the bench of lists measures every read", () => {
  const reads = verbs.filter(({ verb }) => verb.spec.effect === "read").map(({ verb }) => verb.spec.name);
  const measured = new Set(READS.map((read) => read.verb));
  expect(reads.filter((name) => !measured.has(name))).toEqual([]);
});

const writes = verbs.filter(({ verb }) => verb.spec.effect === "write");

test.each(writes)("$exported refuses unknown fields", ({ verb }) => {
  const schema = z.toJSONSchema(verb.spec.input, { io: "input", unrepresentable: "any" });
  const shapes = schema.type === undefined ? schema.anyOf! : [schema];
  for (const shape of shapes) expect(shape).toMatchObject({ type: "object", additionalProperties: false });
});

/** Reads whose input is too large for a URL. */
const READS_BY_POST = new Set([
  "backfills.preview",
  "collectionPasses.preview",
  "datasetImports.preview",
  "collectionPasses.previewObjective",
  "examples.previewConversations",
  "modelPrices.estimate",
  "modelPrices.previewPattern",
  "prompts.render",
  "rules.proposeFilter",
  "workItems.preview",
]);

const nameOf = (one: Operation) => `${one.method} ${one.path}`;

const streams = await streamVerbsOfServices();
const ofServices = OPERATIONS.flatMap((one) => {
  const spec = "verb" in one ? one.verb.spec : "stream" in one ? one.stream.spec : undefined;
  return spec ? [[nameOf(one), one, spec] as const] : [];
});

test.each(ofServices)(
  "%s has its path parameters in its input, and is a write exactly when its method is one",
  (_, operation, spec) => {
    const fields = Object.keys(z.toJSONSchema(spec.input, { io: "input", unrepresentable: "any" }).properties ?? {});
    for (const name of parametersOf(operation.path)) if (name !== "projectId") expect(fields).toContain(name);
    const reads = operation.method === "GET" || READS_BY_POST.has(spec.name);
    expect(spec.effect).toBe(reads ? "read" : "write");
  },
);

test("every operation served over REST or tRPC is exported by a service's index", () => {
  const shown = new Set(verbs.map(({ verb }) => verb.spec.name));
  for (const name of [...overRest, ...overTrpc.keys()]) expect(shown).toContain(name);
});

test("every operation with a stream has an address, a unique name and a test", () => {
  const served = OPERATIONS.flatMap((one) => ("stream" in one ? [[one.stream.spec.name, one.path] as const] : []));
  const addresses = new Map(served);
  expect(streams.map(({ stream }) => stream.spec.name).sort()).toEqual([...addresses.keys()].sort());
  expect(new Set(OPERATIONS.map(nameOf)).size).toBe(OPERATIONS.length);
  for (const { exported, stream } of streams) {
    const { name, summary, unaudited, effect } = stream.spec;
    expect(verbs.filter(({ verb }) => verb.spec.name === name)).toEqual([]);
    expect(summary).toMatch(/^[A-Z].*\.$/s);
    if (unaudited !== undefined) expect(effect).toBe("write");
    const path = addresses.get(name)?.split(":projectId").at(-1) as string;
    expect(tests.includes(exported) || tests.includes(path), `${exported} (${path}) is in no test`).toBe(true);
  }
});
