import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readEnv } from "./env";

const BASE = { DATABASE_URL: "postgres://localhost/whetstone", WHETSTONE_SECRET: "x".repeat(32) };
const problemOf = (given: Record<string, string>) => {
  try {
    readEnv({ ...BASE, ...given });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

const MAIL = { SMTP_URL: "smtps://u:p@mail.example:465", MAIL_FROM: "a@example.com", PUBLIC_URL: "https://w.example" };

test("variables that are valid only together are refused when one is missing, each by name", () => {
  expect(problemOf(MAIL)).toBeNull();
  expect(problemOf({ MAIL_FROM: "a@example.com" })).toMatch(/also requires SMTP_URL.*\n.*at MAIL_FROM/);
  expect(problemOf({ SMTP_URL: MAIL.SMTP_URL })).toMatch(/also requires MAIL_FROM and PUBLIC_URL.*\n.*at SMTP_URL/);
});

test("a file bucket must be a complete URL without credentials", () => {
  for (const FILES_URL of [
    "s3://bucket",
    "s3://my-bucket/a/b?endpoint=http://127.0.0.1:9000",
    "s3://b.example/?region=eu-central-1&endpoint=https://s3.example.com",
  ])
    expect(problemOf({ FILES_URL }), FILES_URL).toBeNull();
  for (const [FILES_URL, problem] of [
    ["/var/files", /must look like s3:/],
    ["https://bucket.s3.example.com", /must look like s3:/],
    ["s3://key:secret@bucket", /must not contain credentials/],
    ["s3:///prefix", /must name a bucket/],
    ["s3://bucket?endpont=https://x", /does not support endpont/],
    ["s3://bucket?endpoint=s3.example.com", /begins with https/],
  ] as const)
    expect(problemOf({ FILES_URL }), FILES_URL).toMatch(problem);
});

const PROVIDER = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "whetstone", OIDC_CLIENT_SECRET: "s" };

test("a provider has to be configured completely, and passwords can be switched off only with one", () => {
  expect(problemOf(PROVIDER)).toBeNull();
  for (const variable of Object.keys(PROVIDER)) {
    const { [variable as never]: _, ...rest } = PROVIDER;
    expect(problemOf(rest), `without ${variable}`).toContain(`also requires ${variable}`);
  }
  expect(problemOf({ OIDC_ALLOWED_DOMAINS: "example.com" })).toMatch(/also requires OIDC_ISSUER/);
  expect(problemOf({ PASSWORD_SIGN_IN: "off" })).toMatch(/can be off only when OIDC_ISSUER/);
  expect(problemOf({ ...PROVIDER, PASSWORD_SIGN_IN: "off" })).toBeNull();
});

test("a default role needs domains, projects and a provider, and projects need a role", () => {
  const role = { OIDC_DEFAULT_ROLE: "viewer" };
  const domains = { OIDC_ALLOWED_DOMAINS: "example.com" };
  const projects = { OIDC_DEFAULT_PROJECTS: "prj_1, prj_2" };
  expect(problemOf({ ...PROVIDER, ...role })).toMatch(/also requires OIDC_DEFAULT_PROJECTS/);
  expect(problemOf({ ...PROVIDER, ...projects })).toMatch(/also requires OIDC_DEFAULT_ROLE/);
  expect(problemOf({ ...role, ...projects })).toMatch(/also requires OIDC_ISSUER/);
  expect(problemOf({ ...PROVIDER, ...role, ...projects })).toMatch(
    /also requires OIDC_ALLOWED_DOMAINS.*\n.*at OIDC_DEFAULT_ROLE/,
  );
  expect(problemOf({ ...PROVIDER, ...role, ...projects, ...domains })).toBeNull();
  expect(problemOf({ ...PROVIDER, ...projects, OIDC_DEFAULT_ROLE: "owner" })).toMatch(/OIDC_DEFAULT_ROLE/);
  for (const OIDC_DEFAULT_PROJECTS of ["shop", "prj_1,*", ","])
    expect(problemOf({ ...PROVIDER, ...role, OIDC_DEFAULT_PROJECTS }), OIDC_DEFAULT_PROJECTS).toMatch(
      /must be comma-separated project ids/,
    );
});

test("domains are case-insensitive, and a provider must use https or run on this machine", () => {
  const read = readEnv({ ...BASE, ...PROVIDER, OIDC_ALLOWED_DOMAINS: " Example.com,example.org, " });
  expect(read.OIDC_ALLOWED_DOMAINS).toEqual(["example.com", "example.org"]);
  for (const OIDC_ALLOWED_DOMAINS of ["@example.com", "com", "a b.com", ","])
    expect(problemOf({ ...PROVIDER, OIDC_ALLOWED_DOMAINS }), OIDC_ALLOWED_DOMAINS).toMatch(
      /must be comma-separated domains/,
    );
  for (const OIDC_ISSUER of ["http://id.example", "http://127.evil.example", "ftp://id.example"])
    expect(problemOf({ ...PROVIDER, OIDC_ISSUER }), OIDC_ISSUER).toMatch(/must be https/);
  for (const OIDC_ISSUER of ["http://127.0.0.1:8080", "http://localhost/realms/a", "http://[::1]:1"])
    expect(problemOf({ ...PROVIDER, OIDC_ISSUER }), OIDC_ISSUER).toBeNull();
});

test("trusted proxies are given by address, network or count", () => {
  for (const TRUSTED_PROXIES of ["10.0.0.2", "10.0.0.0/8, fd00::/8", "2"])
    expect(problemOf({ TRUSTED_PROXIES })).toBeNull();
  expect(problemOf({ TRUSTED_PROXIES: "proxy.example" })).toMatch(
    /"proxy.example" is not an address.*\n.*at TRUSTED_PROXIES/,
  );
});

test("allowed outbound targets are given by host, address or network", () => {
  for (const OUTBOUND_ALLOW of [
    "ollama.lan",
    "ollama.lan:11434, 127.0.0.1:11434",
    "[::1]:11434,::1",
    "10.0.0.0/8,fd00::/8",
  ])
    expect(problemOf({ OUTBOUND_ALLOW }), OUTBOUND_ALLOW).toBeNull();
  const wrong =
    "http://ollama.lan *.lan 10.0.0.0/33 10.0.0.0/8:80 2130706433 0x7f.1 ollama.lan:70000 a:b@c ollama.lan. [::1";
  for (const OUTBOUND_ALLOW of wrong.split(" "))
    expect(problemOf({ OUTBOUND_ALLOW }), OUTBOUND_ALLOW).toMatch(/is not a host .*\n.*at OUTBOUND_ALLOW/);
});

test("the mail server and the sender must be well formed", () => {
  for (const SMTP_URL of ["mail.example:25", "https://mail.example", "smtp:"])
    expect(problemOf({ ...MAIL, SMTP_URL }), SMTP_URL).toMatch(/must look like smtps:/);
  for (const MAIL_FROM of ["nobody", "a@b>", "A <a@b>\r\nBcc: c@d", "A <a@b", "a b@c d"])
    expect(problemOf({ ...MAIL, MAIL_FROM }), MAIL_FROM).toMatch(/must be an e-mail address/);
  for (const MAIL_FROM of ["a@b.example", "Whetstone <a@b.example>", "<a@b.example>"])
    expect(problemOf({ ...MAIL, MAIL_FROM }), MAIL_FROM).toBeNull();
});

test("the secret comes from a variable or a file, never both, with the same minimum length", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-env-"));
  const fileWith = (name: string, content: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const { WHETSTONE_SECRET: _, ...without } = BASE;
  const good = fileWith("good", `${"f".repeat(40)}\n`);
  expect(readEnv({ ...without, WHETSTONE_SECRET_FILE: good }).WHETSTONE_SECRET).toBe("f".repeat(40));
  expect(readEnv({ ...BASE, WHETSTONE_SECRET_FILE: "" }).WHETSTONE_SECRET).toBe(BASE.WHETSTONE_SECRET);
  expect(() => readEnv(without)).toThrow(/is missing: set it, or WHETSTONE_SECRET_FILE/);
  expect(problemOf({ WHETSTONE_SECRET_FILE: good })).toMatch(/keep one of them/);
  const short = fileWith("short", "short-secret-words");
  const problem = problemOf({ WHETSTONE_SECRET: "", WHETSTONE_SECRET_FILE: short });
  expect(problem).toMatch(/at least 32 characters.*\n.*at WHETSTONE_SECRET_FILE/);
  expect(problem).not.toContain("short-secret-words");
  expect(problemOf({ WHETSTONE_SECRET: "", WHETSTONE_SECRET_FILE: path.join(folder, "none") })).toMatch(/ENOENT/);
  rmSync(folder, { recursive: true });
});
