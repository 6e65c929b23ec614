import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { setTimeout as wait } from "node:timers/promises";

type Payload = {
  method: string;
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
  streams?: boolean;
};
type Command = { command_id: string; payload: Payload };
type Json = Record<string, unknown>;

/** The web app as an agent sees it: its addresses below `/api/trainer/v1`. */
export type Web = {
  post(path: string, body: Json, signal?: AbortSignal): Promise<{ status: number; json: Json }>;
  manifest(sha256: string): Promise<Uint8Array | null>;
};

const MANIFEST_HASHES = ({ body }: Payload): string[] => {
  const manifest = ((body ?? {}) as { manifest?: { sha256?: string; validation?: { sha256?: string } } }).manifest;
  return [manifest?.sha256, manifest?.validation?.sha256].filter((sha256) => sha256 !== undefined);
};
const BACK_OFF_MS = 200;

type Scripted = {
  url: string;
  token: string;
  /** Reads what it can do, to report it; without, the web app is assumed to know. */
  capabilities?: () => Promise<Json>;
};
/** The hash of the capabilities of every scripted trainer: they do not change while it is attached. */
export const KNOWN = "known";

/** For tests: calls a web app on behalf of a trainer's HTTP server, as agent mode does. Returns a function that ends it. */
export function runScriptedAgent(web: Web, trainer: Scripted): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const authorization = `Bearer ${trainer.token}`;
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${trainer.url}${path}`, {
      ...init,
      signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal,
      headers: { ...init.headers, authorization },
    });

  async function pull(payload: Payload) {
    for (const sha256 of MANIFEST_HASHES(payload)) {
      const path = `/v1/manifests/${sha256}`;
      if ((await call(path, { method: "HEAD" })).status !== 404) continue;
      const content = await web.manifest(sha256);
      if (content) await call(path, { method: "PUT", body: content as BodyInit });
    }
  }

  /** Sends an answer in parts; returns its result, or none once nobody is waiting for it. */
  async function passOn(id: string, reply: Response, abandon: AbortController): Promise<Json | null> {
    const decoder = new TextDecoder();
    let seq = 0;
    try {
      for await (const bytes of Readable.fromWeb(reply.body as WebStream)) {
        seq += 1;
        const text = decoder.decode(bytes, { stream: true });
        const { status } = await web.post(`commands/${id}/parts`, { seq, text });
        if (status !== 404) continue;
        abandon.abort();
        return null;
      }
    } catch {
      const error = { code: "deploy_unhealthy", message: "The connection to the model's server failed." };
      return { status: 502, headers: {}, body: { error } };
    }
    return { status: reply.status, headers: {}, body: null };
  }

  async function resultOf({ command_id, payload }: Command): Promise<Json | null> {
    const { method, path, query = {}, headers, body, streams } = payload;
    if (method === "PUT" || method === "POST") await pull(payload);
    const search = new URLSearchParams(query).toString();
    const abandon = new AbortController();
    const reply = await call(`${path}${search && `?${search}`}`, {
      method,
      headers: { ...headers, ...(body == null ? {} : { "content-type": "application/json" }) },
      signal: abandon.signal,
      ...(body == null ? {} : { body: JSON.stringify(body) }),
    });
    const type = reply.headers.get("content-type") ?? "";
    if (streams && reply.ok && type.startsWith("text/event-stream")) return passOn(command_id, reply, abandon);
    const content = Buffer.from(await reply.arrayBuffer());
    const isJson = type.startsWith("application/json");
    const parsed = isJson ? JSON.parse(content.toString() || "null") : content.toString("base64");
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: parsed };
  }

  async function serve(command: Command) {
    // What a trainer that cannot be reached would never send: tests need not wait for the limit.
    const result = await resultOf(command).catch(() => ({ status: 504, headers: {}, body: null }));
    if (result && !signal.aborted) await web.post(`commands/${command.command_id}`, result).catch(() => {});
  }

  async function run() {
    let isReported = false;
    while (!signal.aborted) {
      try {
        const capabilities = await trainer.capabilities?.();
        const lease = { capabilities_hash: KNOWN, jobs: [], ...(isReported ? {} : { capabilities }) };
        const { status, json } = await web.post("lease", lease, signal);
        if (status !== 200) throw new Error(`The lease was refused: ${status}`);
        isReported = json.send_capabilities !== true;
        for (const command of json.commands as Command[]) void serve(command);
      } catch {
        isReported = false;
        await wait(BACK_OFF_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
  void run();
  return () => ended.abort();
}
