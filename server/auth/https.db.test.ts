import { expect, test } from "vitest";

/** In its own file because the environment is read only once. */
process.env.PUBLIC_URL = "https://whetstone.example/";

test("under https cookies are secure and bound to the host, and only the configured origin is accepted", async () => {
  const { handleAuth } = await import("./next-auth-handler");
  const { isSameOrigin } = await import("./origin");
  const { sessionCookieName } = await import("./session-cookie");
  expect(sessionCookieName()).toBe("__Host-whetstone-session");

  // A proxy in front forwards the request under its own host name.
  const host = { host: "127.0.0.1:3000" };
  const reply = await handleAuth(new Request("http://127.0.0.1:3000/api/auth/csrf", { headers: host }));
  const cookies = reply.headers.getSetCookie();
  expect(cookies).toHaveLength(2);
  for (const cookie of cookies) expect(cookie).toMatch(/^__(Host|Secure)-.*HttpOnly; Secure; SameSite=Lax/);
  expect(cookies.find((cookie) => cookie.includes("callback-url"))).toContain(
    encodeURIComponent("https://whetstone.example"),
  );

  const { invitationCookie } = await import("./invitation-cookie");
  expect(await invitationCookie("t")).toMatch(
    /^__Secure-whetstone-invitation=\S+; .*; HttpOnly; SameSite=Lax; Secure$/,
  );

  expect(isSameOrigin(new Headers({ ...host, origin: "https://whetstone.example" }))).toBe(true);
  expect(isSameOrigin(new Headers({ ...host, origin: "https://evil.example" }))).toBe(false);
});
