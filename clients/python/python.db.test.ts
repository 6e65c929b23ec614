import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT_EXAMPLES } from "@/app/docs/_lib/client-examples";
import { packPython } from "@/scripts/lib/clients/pack";
import { clientsPythonPath } from "@/scripts/lib/testing/clients.mjs";
import { EXAMPLES_PRINT, inTurn, product } from "../testing/product";

/** The wheel that would be published, installed in an empty folder and used by programs of its own. */

const run = promisify(execFile);
const root = mkdtempSync(path.join(tmpdir(), "whetstone-client-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(!existsSync(clientsPythonPath()))("in Python, which `npm test` installs where it finds it", () => {
  const running = product();
  beforeAll(async () => {
    const wheel = await packPython(path.join(root, "packed"), clientsPythonPath());
    const install = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--no-deps",
      "--no-index",
      "--target",
      path.join(root, "site"),
      wheel,
    ];
    await run(clientsPythonPath(), install);
  });

  async function python(program: string) {
    const file = path.join(root, "program.py");
    writeFileSync(file, program);
    const env = { ...process.env, ...running.environment, PYTHONPATH: path.join(root, "site") };
    return (await run(clientsPythonPath(), ["-W", "error", file], { env })).stdout;
  }

  /** Runs statements that have a client `w` and a project `p`, and call `tell` with what they want to tell. */
  async function withClient(statements: string) {
    const told = await python(`
import asyncio, json, os, whetstone
p = os.environ["PROJECT_ID"]
address = os.environ["WHETSTONE"], os.environ["WHETSTONE_KEY"]
w = whetstone.Whetstone(*address)
told = {}
def tell(**more): told.update(more)
def failure(call, *args, **more):
    try: call(*args, **more)
    except Exception as error: return {"name": type(error).__name__, "message": str(error), **vars(error)}
${statements}
w.close()
print(json.dumps(told, default=vars))`);
    return JSON.parse(told);
  }

  const named = () => `Refunds ${crypto.randomUUID()}`;

  test("a create whose reply was lost is repeated under the same key, and makes one thing", async () => {
    running.fault = inTurn("lost", "answered", "lost");
    const names = [named(), named()];
    const { created, later, found } = await withClient(`
def body(name): return whetstone.models.DatasetsCreateInput(name=name, collection_enabled=False)
async def create(name):
    async with whetstone.AsyncWhetstone(*address) as client: return await client.datasets_create(p, body(name))
tell(created=w.datasets_create(p, body("${names[0]}")), later=asyncio.run(create("${names[1]}")))
tell(found=[[one.id for one in w.datasets_list(p, q=name).datasets] for name in ${JSON.stringify(names)}])`);
    expect(created.dataset).toMatchObject({ name: names[0], collection_enabled: false });
    expect(found).toEqual([[created.dataset.id], [later.dataset.id]]);
    const [first, second, third, fourth] = running.requests;
    expect(first?.key).toMatch(/^[\w-]{36}$/);
    expect(second).toEqual(first);
    expect(fourth).toEqual(third);
    expect(third?.key).not.toBe(first?.key);
  });

  test("a change without a key is not repeated when its reply was lost", async () => {
    running.fault = inTurn("answered", "lost");
    const { lost } = await withClient(`
id = w.datasets_create(p, {"name": "${named()}"}).dataset.id
tell(lost=failure(w.datasets_update, p, id, {"description": "All of them"})["name"])`);
    expect(lost).toBe("RemoteProtocolError");
    expect(running.requests.map(({ method, key }) => [method, key !== null])).toEqual([
      ["POST", true],
      ["PATCH", false],
    ]);
  });

  test("a list is read page by page, only as far as it is needed", async () => {
    const name = named();
    const { all, pages, first, later } = await withClient(`
for n in range(5): w.datasets_create(p, {"name": f"${name} {n}"})
given = {"q": "${name}", "limit": 2}
async def names():
    async with whetstone.AsyncWhetstone(*address) as client:
        return [one.name async for one in client.datasets_list_items(p, **given)]
tell(all=[one.name for one in w.datasets_list_items(p, **given)], later=asyncio.run(names()))
tell(pages=[len(page.datasets) for page in w.datasets_list_pages(p, **given)])
tell(first=next(iter(w.datasets_list_items(p, **given))).name)`);
    expect([...all].sort()).toEqual([0, 1, 2, 3, 4].map((n) => `${name} ${n}`));
    expect(later).toEqual(all);
    expect(pages).toEqual([2, 2, 1]);
    expect(first).toBe(all[0]);
    expect(running.requests.filter(({ method }) => method === "GET")).toHaveLength(3 * 3 + 1);
  });

  test("after Retry-After a refused request is repeated, whatever its method where it had no effect", async () => {
    running.fault = inTurn([429, 1], "answered", [503, 1], "answered", [409, 0], "answered", [429, 0]);
    const begun = Date.now();
    const { changed } = await withClient(`
for _ in range(2): w.datasets_list(p, limit=1)
# As it is while the first request with the key is still running.
w.datasets_create(p, {"name": "${named()}"})
tell(changed=failure(w.datasets_update, p, "ds_none", {"description": ""})["name"])`);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(2000);
    expect(changed).toBe("NotFoundError");
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
key = "${crypto.randomUUID()}"
with whetstone.Whetstone(*address, retries=1) as once: tell(limited=failure(once.datasets_list, p))
tell(long=failure(w.datasets_list, p))
tell(missing=failure(w.datasets_get, p, "ds_none"), invalid=failure(w.datasets_create, p, {"name": ""}))
w.datasets_create(p, {"name": "${named()}"}, idempotency_key=key)
tell(reused=failure(w.datasets_create, p, {"name": "${named()}"}, idempotency_key=key))
tell(page=failure(lambda: list(w.datasets_list_items(p, cursor="none"))))`);
    expect(limited).toMatchObject({
      name: "RateLimitedError",
      code: "rate_limited",
      message: "Later.",
      retry_after: 0,
    });
    expect(long).toMatchObject({ name: "RateLimitedError", retry_after: 3600 });
    expect(missing).toMatchObject({ name: "NotFoundError", status: 404, code: "not_found" });
    expect(missing.request_id).toMatch(/./);
    expect(invalid).toMatchObject({ name: "InvalidError", status: 400, errors: [{ path: "/name" }] });
    expect(reused).toMatchObject({ name: "UnprocessableError", status: 422, code: "unprocessable" });
    expect(page).toMatchObject({ name: "InvalidError", status: 400 });
    expect(running.requests).toHaveLength(8);
  });

  test("files go and come byte by byte", async () => {
    const { id, bytes, later, log } = await withClient(`
id = w.files_upload(p, bytes([0, 255, 13, 10]), name="a.bin").file.id
async def download():
    async with whetstone.AsyncWhetstone(*address) as client: return list(await client.files_download(p, id))
tell(id=id, bytes=list(w.files_download(p, id)), later=asyncio.run(download()), log=w.audit_download(p).decode())`);
    expect(bytes).toEqual([0, 255, 13, 10]);
    expect(later).toEqual(bytes);
    expect(log).toContain(id);
  });

  test.each(CLIENT_EXAMPLES)("the example of the documentation works: $title", async ({ title, python: program }) => {
    expect(await python(program)).toMatch(EXAMPLES_PRINT[title] ?? "nothing");
  });
});
