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

test("variables that mean something only together are refused by halves, each by name", () => {
  expect(problemOf(MAIL)).toBeNull();
  expect(problemOf({ MAIL_FROM: "a@example.com" })).toMatch(/needs SMTP_URL beside it.*\n.*at MAIL_FROM/);
  expect(problemOf({ SMTP_URL: MAIL.SMTP_URL })).toMatch(/needs MAIL_FROM and PUBLIC_URL beside it.*\n.*at SMTP_URL/);
});

test("a mail server and a sender have to look like what they are", () => {
  for (const SMTP_URL of ["mail.example:25", "https://mail.example", "smtp:"])
    expect(problemOf({ ...MAIL, SMTP_URL }), SMTP_URL).toMatch(/must look like smtps:/);
  for (const MAIL_FROM of ["nobody", "a@b>", "A <a@b>\r\nBcc: c@d", "A <a@b", "a b@c d"])
    expect(problemOf({ ...MAIL, MAIL_FROM }), MAIL_FROM).toMatch(/must be an e-mail address/);
  for (const MAIL_FROM of ["a@b.example", "Whetstone <a@b.example>", "<a@b.example>"])
    expect(problemOf({ ...MAIL, MAIL_FROM }), MAIL_FROM).toBeNull();
});
