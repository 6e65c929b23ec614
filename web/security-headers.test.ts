import { expect, test } from "vitest";
import { securityHeaders } from "./security-headers.mjs";

const referrer = (pathname: string) =>
  securityHeaders(pathname, { secure: false, dev: false }).headers["referrer-policy"];

test("no other site learns an address, and from the page of a one-time link not even ours does", () => {
  expect(["/", "/sign-in", "/p/prj_1/invite", "/invited", "/v1/openapi.json"].map(referrer)).toEqual(
    Array(5).fill("same-origin"),
  );
  expect(["/invite", "/reset", "/setup", "/setup/"].map(referrer)).toEqual(Array(4).fill("no-referrer"));
});
