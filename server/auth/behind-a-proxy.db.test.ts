import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog } from "@/db/schema";
import { trustedProxies } from "@/server/platform/http/client-address";
import { createUser } from "@/server/services/identity";
import { countInOneWindow } from "@/server/services/identity/testing";
import { admit } from "@/web/admission";
import { handleAuth } from "./next-auth-handler";
import { sessionOf } from "./session";
import { browser } from "./testing/browser";

/** Sign-in over real HTTP, as requests reach the web process. */

const servers: Server[] = [];
async function productWith(proxies: string | undefined) {
  const isTrusted = trustedProxies(proxies);
  const server = createServer((request, response) => {
    if (admit(request, response, isTrusted)) void answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return (request: Request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(`http://127.0.0.1:${port}${pathname}${search}`, request), { redirect: "manual" });
  };
}
/** Does only the part of Next's work for a route that these requests need. */
async function answer(request: IncomingMessage, response: ServerResponse) {
  const { method = "GET", url, headers } = request;
  const body = method === "GET" ? null : await buffer(request);
  const asked = new Request(`http://${headers.host}${url}`, { method, headers: headers as HeadersInit, body });
  const reply = await handleAuth(asked);
  response.writeHead(reply.status, [...reply.headers].flat()).end(await reply.text());
}
beforeAll(countInOneWindow);
afterAll(() => {
  for (const server of servers) server.close();
});

const PASSWORD = "correct horse";
async function person() {
  const email = `${crypto.randomUUID()}@example.test`;
  return { ...(await createUser(db(), { email, password: PASSWORD })), email };
}
const errorOf = ({ body }: { body: Record<string, string> }) =>
  new URL(body.url ?? "http://none.test").searchParams.get("error");

test("forging X-Forwarded-For neither evades the sign-in limits nor locks anybody out", async () => {
  const send = await productWith("127.0.0.1");
  const ada = await person();
  const outcomes = [];
  for (let n = 0; n < 12; n++) {
    // The proxy appends the attacker's own address to the header the attacker sends: another visitor's address, the user's, or
    // the proxy's.
    const claimed = [`203.0.113.${n}`, "198.51.100.1", "127.0.0.1"][n % 3];
    const guesser = browser({ address: `${claimed}, 192.0.2.166`, send });
    outcomes.push(await guesser.signIn(ada.email, "wrong"));
  }
  expect(outcomes.map(errorOf)).toEqual([...Array(10).fill("CredentialsSignin"), "RateLimited", "RateLimited"]);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429]);
  expect(Number(outcomes.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);

  const hers = browser({ address: "198.51.100.1", send });
  await hers.signIn(ada.email, PASSWORD);
  expect((await sessionOf(db(), hers.page()))?.user.id).toBe(ada.id);
  const rows = await db().select().from(accountAuditLog);
  const told = rows.filter(({ actorId, action }) => actorId === ada.id && action === "account.signIn");
  expect(told).toMatchObject([{ address: "198.51.100.1" }]);
});

test("without a trusted proxy X-Forwarded-For is ignored, and attempts are counted by the connecting address", async () => {
  const send = await productWith(undefined);
  const outcomes = [];
  for (let n = 0; n < 52; n++) {
    const guesser = browser({ address: `203.0.113.${n}`, send });
    outcomes.push(errorOf(await guesser.signIn(`nobody${n}@example.test`, "wrong")));
  }
  expect(outcomes.filter((error) => error === "CredentialsSignin")).toHaveLength(50);
  expect(outcomes.slice(50)).toEqual(["RateLimited", "RateLimited"]);
});
