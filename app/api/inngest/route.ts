import { serve } from "inngest/next";
import type { NextRequest } from "next/server";
import { env } from "@/env";
import { inngest } from "@/inngest/client";
import { functions } from "@/inngest/functions";
import { FUNCTIONS_PATH, inngestServer } from "@/server/engine";
import { ServiceError } from "@/server/platform/errors";
import { readBody } from "@/server/platform/http/read-body";

type Method = "GET" | "POST" | "PUT";
type Served = Record<Method, (request: NextRequest, context: unknown) => Promise<Response>>;

let served: Served | undefined;

/** Created on the first request: the handler reads the environment, which is not available during a build. */
function handlers(): Served {
  // Unsigned requests must not make this installation register itself; the worker registers it.
  served ??= serve({ client: inngest, functions, servePath: FUNCTIONS_PATH, enableUnauthedSync: false }) as Served;
  return served;
}

/** Larger than elsewhere, since a step's state may be large; the SDK reads all of it before it checks the signature. */
const BODY_MAX = 32 * 1024 * 1024;

/** Returns the request with its body read; 401 without a signature, which the SDK verifies and development does not need. */
async function admitted(request: NextRequest, isDev: boolean): Promise<NextRequest | Response> {
  if (request.method === "GET") return request;
  if (!isDev && !request.headers.has("x-inngest-signature")) return new Response(null, { status: 401 });
  try {
    const { url, method, headers } = request;
    return new Request(url, { method, headers, body: await readBody(request, BODY_MAX) }) as NextRequest;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return new Response(error.message, { status: error.code === "too_large" ? 413 : 400 });
  }
}

/** Returns 404 unless an Inngest server runs the functions: the embedded engine calls them without HTTP. */
const door = (method: Method) => async (request: NextRequest, context: unknown) => {
  const server = inngestServer(env());
  if (!server) return new Response(null, { status: 404 });
  const given = await admitted(request, server.isDev);
  return given instanceof Response ? given : handlers()[method](given, context);
};

export const GET = door("GET");
export const POST = door("POST");
export const PUT = door("PUT");
