// @ts-check
// A page that is the same for everybody is rendered once in the life of the process.
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { etagOf, holds, REVALIDATED } from "./revalidated.mjs";
import { secure } from "./security-headers.mjs";

/** @typedef {(request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown} Handler */
/** @typedef {{ body: Buffer, etag: string, headers: Record<string, string> }} Page */

/**
 * Returns a handler that answers GET and HEAD of `path` from memory and leaves every other address to `handler`, which is
 * asked for the page once. No word of a visitor goes into that request, so that none can put anything into the page.
 * @param {string} path
 * @param {Handler} handler
 * @param {{ secure: boolean, dev: boolean }} installation
 * @returns {Handler}
 */
export function withCachedPage(path, handler, installation) {
  /** @type {Promise<Page> | undefined} */
  let rendering;
  return async (request, response) => {
    if ((request.url ?? "/").split("?", 1)[0] !== path) return handler(request, response);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return response.writeHead(405, { allow: "GET, HEAD" }).end();
    }
    rendering ??= render(path, handler, installation);
    const page = await rendering.catch(() => undefined);
    if (!page) {
      rendering = undefined; // it failed: the next visitor may have more luck
      return handler(request, response);
    }
    for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, value);
    if (holds(request.headers["if-none-match"], page.etag)) return response.writeHead(304).end();
    response.writeHead(200, { "content-length": page.body.length });
    response.end(request.method === "HEAD" ? undefined : page.body);
  };
}

/**
 * Its policy stays with it: the nonce in its scripts is the one that the policy names. One that lasts is as good as a new
 * one where nobody's data stands in the page.
 * @param {string} path @param {Handler} handler @param {{ secure: boolean, dev: boolean }} installation
 * @returns {Promise<Page>}
 */
async function render(path, handler, installation) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "GET", url: path, headers: { host: "localhost" } });
  request.push(null);
  const response = new ServerResponse(request);
  secure(request, response, installation);
  const body = await written(response, () => handler(request, response));
  const type = String(response.getHeader("content-type") ?? "");
  if (response.statusCode !== 200 || !type.startsWith("text/html")) {
    throw new Error(`${path} cannot be rendered: ${response.statusCode}.`);
  }
  const etag = etagOf(body);
  return {
    body,
    etag,
    headers: {
      "content-type": type,
      "content-security-policy": String(response.getHeader("content-security-policy")),
      "cache-control": REVALIDATED,
      etag,
    },
  };
}

/** What is written to a response that leads nowhere. @param {ServerResponse} response @param {() => unknown} write @returns {Promise<Buffer>} */
function written(response, write) {
  /** @type {Buffer[]} */
  const chunks = [];
  /** @param {unknown[]} given */
  const take = ([chunk, encoding, callback]) => {
    if (typeof chunk === "string") chunks.push(Buffer.from(chunk, /** @type {BufferEncoding} */ (encoding)));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    const done = [chunk, encoding, callback].find((one) => typeof one === "function");
    if (done) queueMicrotask(/** @type {() => void} */ (done));
  };
  return new Promise((resolve, reject) => {
    Object.assign(response, {
      write: (/** @type {unknown[]} */ ...given) => {
        take(given);
        return true;
      },
      end: (/** @type {unknown[]} */ ...given) => {
        take(given);
        response.emit("finish");
        resolve(Buffer.concat(chunks));
        return response;
      },
    });
    Promise.resolve(write()).catch(reject);
  });
}
