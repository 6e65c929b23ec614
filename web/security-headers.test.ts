import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type Installation, securityHeaders } from "./security-headers";

let server: Server;
afterEach(() => server.close());

/** Returns the response headers at this path, and the request as Next would see it. */
async function at(path: string, installation: Partial<Installation> = {}, sent: Record<string, string> = {}) {
  const secure = securityHeaders({ secure: false, dev: false, ...installation });
  let seen: IncomingMessage["headers"] = {};
  server = createServer({ keepAliveTimeout: 1 }, (request, response) => {
    response.sendDate = false;
    secure(request, response);
    seen = request.headers;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: sent });
  const { connection: _, "keep-alive": __, ...headers } = Object.fromEntries(reply.headers);
  return { headers, seen };
}

const EVERYWHERE = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const pagePolicy = (nonce: unknown) => [
  "default-src 'self'",
  `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
  "script-src-attr 'none'",
  "style-src 'self' 'unsafe-inline'",
  `style-src-elem 'self' 'nonce-${nonce}'`,
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "media-src blob:",
  "object-src 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
];
const policyIn = (headers: Record<string, unknown>) => String(headers["content-security-policy"]).split(";");

test("API responses have exactly these headers, which forbid loading, running and framing anything", async () => {
  for (const path of ["/v1", "/v1/projects/x?y", "/api/trpc/a", "/healthz", "/readyz"]) {
    const { headers, seen } = await at(path);
    expect([path, headers]).toEqual([
      path,
      {
        ...EVERYWHERE,
        "content-security-policy":
          "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none';sandbox",
      },
    ]);
    expect(seen["x-nonce"]).toBeUndefined();
  }
});

test("a page has exactly these headers, and runs only scripts with its own nonce", async () => {
  const forged = { "x-nonce": "mine", "content-security-policy": "script-src 'nonce-mine'" };
  const [one, two] = [await at("/p/one", {}, forged), await at("/p/one")];
  const { "content-security-policy": policy, ...rest } = one.headers;
  expect(rest).toEqual(EVERYWHERE);
  expect(one.seen["x-nonce"]).toMatch(/^[\w+/]{22}==$/);
  expect(policyIn(one.headers)).toEqual(pagePolicy(one.seen["x-nonce"]));
  expect(one.seen["content-security-policy"]).toBe(policy);
  expect(two.seen["x-nonce"]).not.toBe(one.seen["x-nonce"]);
});

test("https enables HSTS, and development allows hot reload", async () => {
  const { headers, seen } = await at("/", { secure: true });
  expect(policyIn(headers)).toEqual([...pagePolicy(seen["x-nonce"]), "upgrade-insecure-requests"]);
  expect(headers["strict-transport-security"]).toBe("max-age=15552000");
  const policy = policyIn((await at("/", { dev: true })).headers);
  expect(policy).toContain("style-src-elem 'self' 'unsafe-inline'");
  expect(policy).toContain("connect-src 'self' ws:");
  expect(policy.find((one) => one.startsWith("script-src "))).toMatch(/ 'strict-dynamic' 'unsafe-eval'$/);
});

test("other sites receive no referrer, and pages of one-time links send none at all", async () => {
  const referrer = async (path: string) => (await at(path)).headers["referrer-policy"];
  for (const path of ["/", "/sign-in", "/p/prj_1/invite", "/invited", "/v1/openapi.json"]) {
    expect([path, await referrer(path)]).toEqual([path, "same-origin"]);
  }
  for (const path of ["/invite", "/reset", "/setup", "/setup/"]) {
    expect([path, await referrer(path)]).toEqual([path, "no-referrer"]);
  }
});

test("a shared copy may use the style in its document and nothing else, and sends no referrer", async () => {
  const { headers, seen } = await at("/share/token");
  expect(policyIn(headers)).toEqual([
    "default-src 'none'",
    `style-src 'nonce-${seen["x-nonce"]}'`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(headers["referrer-policy"]).toBe("no-referrer");
  for (const path of ["/share", "/shared/token", "/p/share/token"]) {
    expect((await at(path)).headers["referrer-policy"], path).toBe("same-origin");
  }
});
