import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLIENT_EXAMPLES } from "@/app/docs/_lib/client-examples";
import { clientDocument } from "@/scripts/lib/clients/document";
import { packTypeScript } from "@/scripts/lib/clients/pack";
import { inRoot } from "@/scripts/lib/system/paths.mjs";
import { EXAMPLES_PRINT, inTurn, product } from "../testing/product";

/** The tarball that would be published, installed in an empty folder and used by programs of its own. */

const run = promisify(execFile);
const root = mkdtempSync(path.join(tmpdir(), "whetstone-client-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const running = product();
beforeAll(async () => {
  const tarball = await packTypeScript(path.join(root, "packed"));
  writeFileSync(path.join(root, "package.json"), "{}");
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: root });
});

const write = (name: string, ...lines: string[]) => writeFileSync(path.join(root, name), `${lines.join("\n")}\n`);

async function node(name: string) {
  const env = { ...process.env, ...running.environment };
  return (await run(process.execPath, [name], { cwd: root, env })).stdout;
}

const OPTIONS = "url: process.env.WHETSTONE, apiKey: process.env.WHETSTONE_KEY, projectId: process.env.PROJECT_ID";

/** Runs the body of a function that has a client. Returns what it returns. */
async function withClient(body: string) {
  write(
    "program.mjs",
    'import { createWhetstone } from "@whetstone/client";',
    `const options = { ${OPTIONS} };`,
    "const whetstone = createWhetstone(options);",
    // The fields of an error, with its class.
    "const failure = (call) => call.then(() => null, (error) => ({ ...error, name: error.name, message: error.message }));",
    `console.log(JSON.stringify(await (async () => { ${body} })()));`,
  );
  return JSON.parse(await node("program.mjs"));
}

const named = () => `Refunds ${crypto.randomUUID()}`;

test("modules of both kinds get the same client, with types that know every operation", async () => {
  const use = [
    "const whetstone = createWhetstone({ url: '', apiKey: '' });",
    "export const read = async () => {",
    "  const { dataset } = await whetstone.datasets.get({ datasetId: 'ds_1' });",
    "  const count: number = dataset.exampleCount;",
    "  for await (const { severity } of whetstone.findings.list.items({ severity: 'high' })) if (severity === 'low') return count;",
    "  await whetstone.datasets.create({ name: 'Refunds' }, { idempotencyKey: 'refunds' });",
    "  // @ts-expect-error a Dataset needs a name",
    "  await whetstone.datasets.create({});",
    "  // @ts-expect-error only lists have items",
    "  whetstone.datasets.get.items({ datasetId: 'ds_1' });",
    "  return new NotFoundError(404, {}).code === 'not_found';",
    "};",
  ];
  write("types.mts", "import { createWhetstone, NotFoundError } from '@whetstone/client';", ...use);
  write("types.cts", "import { createWhetstone, NotFoundError } from '@whetstone/client';", ...use);
  const examples = CLIENT_EXAMPLES.map(({ typescript }, n) => {
    write(`example-${n}.mts`, typescript);
    return `example-${n}.mts`;
  });
  write(
    "tsconfig.json",
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        strict: true,
        noEmit: true,
        typeRoots: [inRoot("node_modules/@types")],
        types: ["node"],
      },
      files: ["types.mts", "types.cts", ...examples],
    }),
  );
  await run(inRoot("node_modules/.bin/tsc"), [], { cwd: root }).catch((error) => expect(error.stdout).toBe(""));

  write("esm.mjs", 'import * as client from "@whetstone/client";', "console.log(Object.keys(client).sort().join());");
  write("cjs.cjs", 'const client = require("@whetstone/client");', "console.log(Object.keys(client).sort().join());");
  expect(await node("cjs.cjs")).toBe(await node("esm.mjs"));
});

test("a create whose reply was lost is repeated under the same key, and makes one thing", async () => {
  running.fault = inTurn("lost");
  const name = named();
  const { created, found } = await withClient(`
    const created = await whetstone.datasets.create({ name: "${name}" });
    return { created, found: await whetstone.datasets.list({ q: "${name}" }) };`);
  expect(found.datasets.map(({ id }: { id: string }) => id)).toEqual([created.dataset.id]);
  const [first, second] = running.requests;
  expect(first?.key).toMatch(/^[\w-]{36}$/);
  expect(second).toEqual(first);
});

test("a change without a key is not repeated when its reply was lost", async () => {
  running.fault = inTurn("answered", "lost");
  const lost = await withClient(`
    const { dataset } = await whetstone.datasets.create({ name: "${named()}" });
    return failure(whetstone.datasets.update({ datasetId: dataset.id, description: "All of them" }));`);
  expect(lost).toMatchObject({ name: "TypeError" });
  expect(running.requests.map(({ method, key }) => [method, key !== null])).toEqual([
    ["POST", true],
    ["PATCH", false],
  ]);
});

test("a list is read page by page, only as far as it is needed", async () => {
  const name = named();
  const { all, first, pages } = await withClient(`
    for (const n of [1, 2, 3, 4, 5]) await whetstone.datasets.create({ name: "${name} " + n });
    const all = [], pages = [];
    for await (const { name } of whetstone.datasets.list.items({ q: "${name}", limit: 2 })) all.push(name);
    for await (const { datasets } of whetstone.datasets.list.pages({ q: "${name}", limit: 2 })) pages.push(datasets.length);
    for await (const first of whetstone.datasets.list.items({ q: "${name}", limit: 2 })) return { all, first, pages };`);
  expect([...all].sort()).toEqual([1, 2, 3, 4, 5].map((n) => `${name} ${n}`));
  expect(pages).toEqual([2, 2, 1]);
  expect(first.name).toBe(all[0]);
  expect(running.requests.filter(({ method }) => method === "GET")).toHaveLength(3 + 3 + 1);
  // The other envelope of lists.
  expect(
    await withClient(`for await (const key of whetstone.apiKeys.list.items({ limit: 1 })) return key;`),
  ).toMatchObject({
    name: "test",
  });
});

test("after Retry-After a refused request is repeated, whatever its method where it had no effect", async () => {
  running.fault = inTurn([429, 1], "answered", [503, 1], "answered", [409, 0], "answered", [429, 0]);
  const begun = Date.now();
  const changed = await withClient(`
    for (const n of [1, 2]) await whetstone.datasets.list({ limit: 1 });
    // As it is while the first request with the key is still running.
    await whetstone.datasets.create({ name: "${named()}" });
    return failure(whetstone.datasets.update({ datasetId: "ds_none", description: "" }));`);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(2000);
  expect(changed).toMatchObject({ name: "NotFoundError" });
  expect(running.requests.map(({ method }) => method)).toEqual([
    "GET",
    "GET",
    "GET",
    "GET",
    "POST",
    "POST",
    "PATCH",
    "PATCH",
  ]);
});

test("each kind of refusal is an error of its own, with what the problem says", async () => {
  running.fault = inTurn([429, 0], [429, 0], [429, 3600]);
  const { limited, long, missing, invalid, reused, page } = await withClient(`
    const limited = await failure(createWhetstone({ ...options, retries: 1 }).datasets.list());
    const long = await failure(whetstone.datasets.list());
    const missing = await failure(whetstone.datasets.get({ datasetId: "ds_none" }));
    const invalid = await failure(whetstone.datasets.create({ name: "" }));
    const create = (name) => whetstone.datasets.create({ name }, { idempotencyKey: "${crypto.randomUUID()}" });
    await create("${named()}");
    const reused = await failure(create("${named()}"));
    const page = await failure(whetstone.datasets.list.items({ cursor: "none" }).next());
    return { limited, long, missing, invalid, reused, page };`);
  expect(limited).toMatchObject({ name: "RateLimitedError", code: "rate_limited", message: "Later.", retryAfter: 0 });
  expect(long).toMatchObject({ name: "RateLimitedError", retryAfter: 3600 });
  expect(missing).toMatchObject({ name: "NotFoundError", status: 404, code: "not_found" });
  expect(missing.requestId).toMatch(/./);
  expect(invalid).toMatchObject({ name: "InvalidError", status: 400, errors: [{ path: "/name" }] });
  expect(reused).toMatchObject({ name: "UnprocessableError", status: 422, code: "unprocessable" });
  expect(page).toMatchObject({ name: "InvalidError", status: 400 });
  expect(running.requests).toHaveLength(8);
});

test("files go and come byte by byte", async () => {
  const { file, bytes, log } = await withClient(`
    const { file } = await whetstone.files.upload({ name: "a.bin", body: new Blob([Uint8Array.of(0, 255, 13, 10)]) });
    const content = await whetstone.files.download({ fileId: file.id });
    const log = await (await whetstone.audit.download()).text();
    return { file, bytes: [...new Uint8Array(await content.arrayBuffer())], log };`);
  expect(bytes).toEqual([0, 255, 13, 10]);
  expect(log).toContain(file.id);
});

test("every list says what its pages have", () => {
  const { paths } = clientDocument();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const items = Object.fromEntries(operations.map((one) => [one.operationId, one["x-redoclyPagination"]?.items]));
  expect(items).toMatchObject({
    findings_list: "/findings",
    datasets_list: "/datasets",
    prompts_versions: "/versions",
    modelPrices_versions: "/versions",
    conversations_messages: "/messages",
    traces_outline: "/spans",
  });
  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === "cursor"));
  expect(lists.filter((one) => !one["x-redoclyPagination"]).map(({ operationId }) => operationId)).toEqual([]);
});

test.each(CLIENT_EXAMPLES)("the example of the documentation works: $title", async ({ title, typescript }) => {
  write("example.mjs", typescript);
  expect(await node("example.mjs")).toMatch(EXAMPLES_PRINT[title] ?? "nothing");
});
