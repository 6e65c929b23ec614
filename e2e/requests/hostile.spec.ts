import { attackerOf } from "@/bench/hostile/attacker";
import { type Attacker, KINDS } from "@/bench/hostile/kinds";
import { startGithub } from "@/testbed/trackers/github-server";
import { webProcessOf } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { expect, test } from "../support/test";

/** Requests that once froze or ended the web process. `npm run bench -- hostile` sends more of them, and measures a neighbour. */

let product: Awaited<ReturnType<typeof startProduct>>;
let github: Awaited<ReturnType<typeof startGithub>>;
let attacker: Attacker;
let web: number | undefined;
test.beforeAll(async () => {
  github = await startGithub();
  product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1", OUTBOUND_ALLOW: "127.0.0.1" } });
  attacker = await attackerOf(product, github);
  web = webProcessOf(product.pid);
});
test.afterAll(async () => {
  await product.stop();
  await github.stop();
});

for (const { name, refused, send } of KINDS.filter((kind) => kind.refused !== undefined)) {
  test(`${name}: refused, and another is answered meanwhile`, async () => {
    const sent = send(attacker);
    expect((await fetch(`${product.url}/healthz`)).status).toBe(200);
    expect(new Set(await sent)).toEqual(new Set([refused]));
  });
}

test("the web process is still the one that was started", () => {
  expect(web).toBeDefined();
  expect(webProcessOf(product.pid)).toBe(web);
});
