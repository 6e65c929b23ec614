import { createTRPCClient, httpLink } from "@trpc/client";
import type { AppRouter } from "@/server/trpc/root";

/** Calls the product at `url` as the workbench's pages do, signed in if there is a cookie. */
export const workbench = (url: string, cookie = "") =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/api/trpc`, headers: { origin: url, cookie } })] });

export type Credentials = { url: string; email: string; password: string };

/** Signs in without a browser; returns the workbench as this person. */
export async function enter({ url, email, password }: Credentials) {
  const opened = await fetch(`${url}/api/auth/csrf`);
  const { csrfToken } = (await opened.json()) as { csrfToken: string };
  const reply = await fetch(`${url}/api/auth/callback/credentials`, {
    method: "POST",
    headers: { cookie: cookiesOf(opened) },
    body: new URLSearchParams({ csrfToken, email, password, callbackUrl: url, json: "true" }),
  });
  if (!reply.ok) throw new Error(`${email} could not sign in: ${reply.status} ${await reply.text()}`);
  return workbench(url, cookiesOf(reply));
}

const cookiesOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
