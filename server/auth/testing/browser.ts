import { handleAuth } from "../next-auth-handler";

/** For tests: the workbench's apparent origin. */
export const ORIGIN = "http://localhost:3210";
const HOST = new URL(ORIGIN).host;

let visitors = 0;

/** Walks through the provider's pages. Returns the URL that the provider redirects back to. */
export async function atProvider(url: string, login: string): Promise<string> {
  const jar = new Map<string, string>();
  let form: URLSearchParams | undefined;
  for (let at = url; ; ) {
    if (new URL(at).origin === ORIGIN) return at;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await fetch(at, {
      redirect: "manual",
      headers: { cookie },
      ...(form ? { method: "POST", body: form } : {}),
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = reply.headers.get("location");
    if (location === null && form) throw new Error(`The provider answered ${reply.status}: ${await reply.text()}`);
    form = location === null ? new URLSearchParams({ login }) : undefined;
    at = location === null ? at : new URL(location, at).href;
  }
}

type Sent = { address?: string; send?: (request: Request) => Promise<Response> };

/** For tests: a browser that keeps cookies, and posts forms as next-auth's own client does. */
export function browser({ address = `192.0.2.${++visitors}`, send = handleAuth }: Sent = {}) {
  const jar = new Map<string, string>();
  const headers = () => ({
    host: HOST,
    "x-forwarded-for": address,
    "user-agent": "Test browser",
    cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
  });
  async function ask(path: string, form?: Record<string, string>) {
    const reply = await send(
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
    /** Returns the request that this browser sends for a page. */
    page: () => new Request(`${ORIGIN}/`, { headers: headers() }),
    async signIn(email: string, password: string, callbackUrl = "/") {
      return ask("callback/credentials", { email, password, callbackUrl, csrfToken: await csrfToken(), json: "true" });
    },
    /** Signs in at the provider as `login`. Returns the URL at which the redirects end. */
    async signInThroughProvider(login: string, given: { next?: string; invitation?: string } = {}) {
      const { body } = await ask("signin/oidc", {
        callbackUrl: given.next ?? "/",
        csrfToken: await csrfToken(),
        json: "true",
        ...(given.invitation === undefined ? {} : { invitation: given.invitation }),
      });
      const back = await atProvider(body.url ?? "", login);
      return this.followRedirects(back);
    },
    /** Follows the product's redirects from the provider's callback on. */
    async followRedirects(url: string) {
      for (let at = url; ; ) {
        const { pathname, search } = new URL(at, ORIGIN);
        if (!pathname.startsWith("/api/auth/")) return pathname + search;
        const { headers } = await ask(pathname.slice("/api/auth/".length) + search);
        at = headers.get("location") ?? "/no-redirect";
      }
    },
    signOut: async () => ask("signout", { csrfToken: await csrfToken(), json: "true" }),
  };
}
