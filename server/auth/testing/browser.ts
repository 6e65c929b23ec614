import { handleAuth } from "../next-auth-handler";

/** For tests: where the workbench seems to be. */
export const ORIGIN = "http://localhost:3210";
const HOST = new URL(ORIGIN).host;

let visitors = 0;

/** For tests: a browser that keeps cookies, and posts forms as next-auth's own client does. */
export function browser() {
  const jar = new Map<string, string>();
  const address = `192.0.2.${++visitors}`;
  const headers = () => ({
    host: HOST,
    "x-forwarded-for": address,
    "user-agent": "Test browser",
    cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
  });
  async function ask(path: string, form?: Record<string, string>) {
    const reply = await handleAuth(
      new Request(`${ORIGIN}/api/auth/${path}`, {
        headers: headers(),
        ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
      }),
    );
    for (const line of reply.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name = "", ...value] = pair.split("=");
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value.join("="));
    }
    return {
      status: reply.status,
      headers: reply.headers,
      body: (await reply.json().catch(() => null)) as Record<string, string>,
    };
  }
  const csrfToken = async () => (await ask("csrf")).body.csrfToken ?? "";
  return {
    jar,
    address,
    ask,
    /** A page that this browser asks for. */
    page: () => new Request(`${ORIGIN}/`, { headers: headers() }),
    async signIn(email: string, password: string, callbackUrl = "/") {
      return ask("callback/credentials", { email, password, callbackUrl, csrfToken: await csrfToken(), json: "true" });
    },
    signOut: async () => ask("signout", { csrfToken: await csrfToken(), json: "true" }),
  };
}
