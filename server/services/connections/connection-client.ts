import type { z } from "zod";
import { type Outbound, type OutboundMethod, outbound } from "@/server/platform/outbound";
import { dialectOf } from "./dialects";
import { asOpenAi } from "./dialects/openai-client";
import { kindOf } from "./kinds";
import type { Call, ConnectionClient } from "./kinds/kind";
import { type ConnectionRow, openSecret } from "./read-connection";

/**
 * Creates the client of a connection; it throws an `OutboundError` when a call fails. All models are called as those of the OpenAI
 * API.
 */
export function connectionClient(row: ConnectionRow, client?: Outbound, secret?: string): ConnectionClient {
  const plain = plainClient(row, client, secret);
  const dialect = row.kind === "model" ? dialectOf(row.settings) : null;
  return dialect === null ? plain : asOpenAi(plain, dialect, row.projectId);
}

function plainClient(row: ConnectionRow, client: Outbound = outbound(), secret = openSecret(row)): ConnectionClient {
  const { id, kind, name, baseUrl, settings, projectId } = row;
  const { exchange, sign } = kindOf(kind);
  let renewNext = false;
  const credentialFor = async (url: URL) => {
    if (secret === undefined || exchange === undefined) return secret;
    const renew = renewNext;
    renewNext = false;
    return exchange(secret, { url, baseUrl, projectId, renew, request }, settings as never);
  };
  const signed = async (url: URL, body: string | undefined, { headers, messageId, ...rest }: Omit<Call, "path">) => {
    const credential = await credentialFor(url);
    const signature =
      credential === undefined ? { headers: {} } : sign(credential, { url, body, messageId }, settings as never);
    const request = {
      ...rest,
      projectId,
      url: (signature.url ?? url).href,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...signature.headers,
      },
      ...(body !== undefined && { body }),
    };
    return { request, hidden: [secret, credential] };
  };
  const requestOf = async ({ path, query, json, bytes, ...rest }: Call) => {
    const body = json === undefined ? undefined : JSON.stringify(json);
    const { request, hidden } = await signed(addressBelow(baseUrl, path, query), body, rest);
    return { request: bytes === undefined ? request : { ...request, body: bytes }, hidden };
  };
  const request: ConnectionClient["request"] = async (call) => {
    const { request: signedRequest, hidden } = await requestOf(call);
    const reply = await client.request(signedRequest);
    return { ...reply, body: withoutSecrets(reply.body, hidden) };
  };
  return {
    connection: { id, kind, name, baseUrl, settings },
    baseUrl,
    request,
    json: async <Reply extends z.ZodType>(call: Call, reply: Reply) =>
      client.json((await requestOf(call)).request, reply),
    stream: async (call) => client.stream((await requestOf(call)).request),
    hide: (text) =>
      secret === undefined ? text : formsOf(secret).reduce((left, form) => left.replaceAll(form, "***"), text),
    renew: () => {
      renewNext = true;
    },
    fetch: async (input, init, limits = {}) => {
      const asked = new Request(input, init);
      const text = await asked.text();
      const send = async () => {
        const { request: signedRequest, hidden } = await signed(
          checkedBelow(baseUrl, new URL(asked.url)),
          text === "" ? undefined : text,
          {
            method: asked.method as OutboundMethod,
            headers: passedOn(asked.headers),
            signal: asked.signal,
            ...limits,
            accepts: (code) => code < 500,
          },
        );
        return { ...(await client.request(signedRequest)), hidden };
      };
      let reply = await send();
      if (reply.status === 401 && exchange !== undefined) {
        // A cached credential may have been revoked, and a refused request had no effect.
        renewNext = true;
        reply = await send();
      }
      const { status, headers, body, hidden } = reply;
      const content = NO_BODY.has(status) ? null : new Uint8Array(withoutSecrets(body, hidden));
      return new Response(content, { status, headers: unpacked(headers) });
    },
  };
}

/** Removes credentials from a body: a service may echo what it was sent, and its messages are shown to people. */
const withoutSecrets = (body: Buffer, secrets: readonly (string | undefined)[]): Buffer =>
  secrets.reduce((left, secret) => (secret === undefined ? left : withoutSecret(left, secret)), body);

function withoutSecret(body: Buffer, secret: string): Buffer {
  const found = formsOf(secret).filter((form) => body.includes(form));
  if (found.length === 0) return body;
  // Latin-1 maps every byte to one character and back.
  return Buffer.from(
    found.reduce((text, form) => text.replaceAll(form, "***"), body.toString("latin1")),
    "latin1",
  );
}

/** Shorter ones may be part of ordinary words. */
const SECRET_LENGTH = 8;

/** Returns the forms in which a service may repeat a credential. */
const formsOf = (secret: string): string[] =>
  [secret, Buffer.from(secret).toString("base64"), secret.slice(secret.indexOf(":") + 1)].filter(
    (form) => form.length >= SECRET_LENGTH,
  );

/** Statuses whose responses have no body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
/** Set by the outbound client or by the connection's credential. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "accept-encoding",
  "authorization",
]);
const passedOn = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.has(name)));
/** Drops headers that no longer apply: the body has already been decompressed. */
const unpacked = ({ "content-encoding": _, "content-length": __, ...headers }: Readonly<Record<string, string>>) =>
  headers;

/** Returns the address of a path below the base; throws for a path that leaves it. */
export function addressBelow(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, "");
  const url = new URL(base);
  if (path !== "") url.pathname = `${root}/${path.replace(/^\/+/, "")}`;
  checkedBelow(baseUrl, url);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Returns the address if it is the base or below it; throws otherwise. */
function checkedBelow(baseUrl: string, url: URL): URL {
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, "");
  if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${root}/`))
    throw new Error("The path leads outside the connection's address.");
  return url;
}
