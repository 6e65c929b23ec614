import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startGithub } from "@/testbed/trackers/github-server";
import { NO_OPTIONS } from "@/testbed/trackers/no-options";
import { testCaller } from "@/testbed/trackers/test-caller";
import { githubTracker } from "./github";
import { isPrivateKey } from "./github-app";

const SHOP = "acme/shop";
const ticket = (marker: string) => ({ title: "search fails", body: "b", labels: [], issueType: null, marker });
const rsaKey = (type: "pkcs1" | "pkcs8") =>
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type, format: "pem" }).toString();

let github: Awaited<ReturnType<typeof startGithub>>;
beforeEach(async () => {
  github = await startGithub();
});
afterEach(async () => {
  vi.useRealTimers();
  await github.stop();
});

function trackerWith({
  key = github.app.privateKey,
  ...ids
}: {
  key?: string;
  appId?: string;
  installationId?: string;
} = {}) {
  const settings = { appId: github.app.appId, installationId: github.app.installationId, ...ids };
  return githubTracker(testCaller("github", github.baseUrl, key, settings), { ...NO_OPTIONS, ...settings });
}
const asked = (path: RegExp) => github.received.filter((one) => path.test(one.path));
const TOKENS = /access_tokens$/;

test("all calls share one installation token, which appears in no result", async () => {
  const seen = [await trackerWith().create(SHOP, ticket("m-1")), await trackerWith().read(SHOP, "1")];
  expect(seen).toMatchObject([{ key: "acme/shop#1" }, { key: "acme/shop#1" }]);
  expect(asked(TOKENS)).toHaveLength(1);
  const sent = asked(/\/issues/).map(({ headers }) => headers.authorization ?? "");
  expect(new Set(sent).size).toBe(1);
  expect(sent[0]).toMatch(/^Bearer ghs_/);
  expect(JSON.stringify(seen)).not.toContain("ghs_");
  expect(JSON.stringify(github.received)).not.toContain("PRIVATE KEY");
});

test("an Enterprise Server below a path is called below that path, for tokens too", async () => {
  const settings = { appId: github.app.appId, installationId: github.app.installationId };
  const tracker = githubTracker(testCaller("github", `${github.baseUrl}/api/v3`, github.app.privateKey, settings), {
    ...NO_OPTIONS,
    ...settings,
  });
  await expect(tracker.read(SHOP, "1")).rejects.toMatchObject({ reason: "credential" });
  expect(github.received.map(({ path }) => path)).toEqual(["/api/v3/app/installations/77/access_tokens"]);
});

test("a token is replaced a few minutes before it expires", async () => {
  await trackerWith().create(SHOP, ticket("m-1"));
  vi.useFakeTimers({ now: Date.now() + 54 * 60_000, toFake: ["Date"] });
  await trackerWith().read(SHOP, "1");
  expect(asked(TOKENS)).toHaveLength(1);
  vi.setSystemTime(Date.now() + 2 * 60_000);
  await trackerWith().read(SHOP, "1");
  expect(asked(TOKENS)).toHaveLength(2);
});

test("a revoked token is replaced, and its call is repeated once", async () => {
  await trackerWith().create(SHOP, ticket("m-1"));
  github.app.revokeTokens();
  await trackerWith().create(SHOP, ticket("m-2"));
  expect(github.tickets()).toHaveLength(2);
  expect(asked(TOKENS)).toHaveLength(2);
});

test("a token is not reused for another App, installation or key", async () => {
  await trackerWith().create(SHOP, ticket("m-1"));
  const key = rsaKey("pkcs8");
  for (const other of [{ key }, { appId: "4243" }, { installationId: "78" }])
    await expect(trackerWith(other).read(SHOP, "1")).rejects.toMatchObject({ reason: "credential", transient: false });
});

test("when no token can be had, the ticket is reported as not created", async () => {
  github.fault = ({ path }) => (TOKENS.test(path) ? 502 : undefined);
  const failed = trackerWith().create(SHOP, ticket("m-1"));
  await expect(failed).rejects.toMatchObject({ reason: "unavailable", ambiguous: false });
  github.fault = ({ path }) => (TOKENS.test(path) ? "limit" : undefined);
  const limited = trackerWith().create(SHOP, ticket("m-1"));
  await expect(limited).rejects.toMatchObject({ reason: "rate_limited", retryAt: expect.any(Number) });
});

test.each<[string, () => void, Parameters<typeof trackerWith>[0], string | null, RegExp[]]>([
  ["an App that may do all of it", () => {}, {}, SHOP, []],
  ["no default repository", () => {}, {}, null, []],
  ["a key in PKCS #8 that is another's", () => {}, { key: rsaKey("pkcs8") }, SHOP, [/does not accept the private key/]],
  ["another App's id", () => {}, { appId: "4243" }, SHOP, [/private key for the App 4243.*Integration not found/]],
  ["an installation that is not there", () => {}, { installationId: "78" }, SHOP, [/has no installation 78/]],
  ["a suspended installation", () => Object.assign(github.app, { suspended: true }), {}, SHOP, [/suspended/]],
  [
    "a permission that is only to read",
    () => Object.assign(github.app.permissions, { issues: "read" }),
    {},
    SHOP,
    [/not allowed to write issues \(its permission issues is "read"\).*installations\/77/],
  ],
  [
    "a permission that is missing, without a default repository",
    () => Object.assign(github.app, { permissions: { metadata: "read" } }),
    {},
    null,
    [/not allowed to write issues/],
  ],
  [
    "a repository that is not selected",
    () => {},
    {},
    "acme/public",
    [/does not include acme\/public.*Repository access/],
  ],
  ["a repository without issues", () => {}, {}, "acme/no-issues", [/^Issues are turned off/]],
  ["an archived repository", () => {}, {}, "acme/archived", [/is archived/]],
])("a check of %s lists the problems", async (_, given, ids, destination, problems) => {
  given();
  const found = await trackerWith(ids).check(destination);
  expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  expect(JSON.stringify(found)).not.toMatch(/ghs_|PRIVATE|eyJ/);
  expect(github.tickets()).toEqual([]);
});

test("a check sees a permission that was granted since the last token", async () => {
  github.app.permissions.issues = "read";
  expect(await trackerWith().check(SHOP)).toHaveLength(1);
  github.app.permissions.issues = "write";
  expect(await trackerWith().check(SHOP)).toEqual([]);
});

test("a private key must be RSA in PEM form, also with escaped line breaks", () => {
  const key = rsaKey("pkcs1");
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
  expect([key, rsaKey("pkcs8"), key.replaceAll("\n", "\\n"), key.replaceAll("\n", "\r\n")].map(isPrivateKey)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([ec.toString(), "ghp-token", key.slice(0, 200)].map(isPrivateKey)).toEqual([false, false, false]);
});
