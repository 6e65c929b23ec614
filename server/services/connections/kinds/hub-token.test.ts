import { expect, test } from "vitest";
import { whoami, writeProblems } from "./hub-token";

const problemsOf = (said: object, repoId: string | null = "acme/support") =>
  writeProblems(whoami.parse({ name: "ann", ...said }), repoId);
const token = (role: string, scoped: [name: string, ...permissions: string[]][] = []) => ({
  auth: {
    accessToken: {
      role,
      fineGrained: { scoped: scoped.map(([name, ...permissions]) => ({ entity: { name }, permissions })) },
    },
  },
});
const ACME = { orgs: [{ name: "Acme", roleInOrg: "write" }] };

test("a read-only token is refused, regardless of its owner", () => {
  expect(problemsOf({ ...ACME, ...token("read") })).toEqual([expect.stringContaining("read-only")]);
  expect(problemsOf(token("read"), null)).toEqual([expect.stringContaining("read-only")]);
});

test("a write token works in its owner's repositories and those of organizations where the owner may write", () => {
  expect(problemsOf({ ...ACME, ...token("write") })).toEqual([]);
  expect(problemsOf({ orgs: [], ...token("write") }, "ann/support")).toEqual([]);
  expect(problemsOf({ orgs: [], ...token("write") })).toEqual([expect.stringContaining("not a member of acme")]);
  const reader = { orgs: [{ name: "acme", roleInOrg: "read" }] };
  expect(problemsOf({ ...reader, ...token("write") })).toEqual([expect.stringContaining("only read access in acme")]);
});

test("a fine-grained token works only where it has write permission", () => {
  expect(problemsOf(token("fineGrained", [["acme", "repo.write"]]))).toEqual([]);
  expect(problemsOf(token("fineGrained", [["acme/support", "repo.write"]]))).toEqual([]);
  const elsewhere = token("fineGrained", [
    ["acme", "repo.content.read"],
    ["acme/other", "repo.write"],
  ]);
  expect(problemsOf(elsewhere)).toEqual([expect.stringContaining("repositories of acme")]);
  expect(problemsOf(elsewhere, null)).toEqual([]);
  expect(problemsOf(token("fineGrained", [["acme", "repo.content.read"]]), null)).toHaveLength(1);
});

test("a token is accepted when the hub reports nothing about it", () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ auth: "x", orgs: "y" })).toEqual([]);
});
