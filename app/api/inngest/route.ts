import { serve } from "inngest/next";
import type { NextRequest } from "next/server";
import { env } from "@/env";
import { inngest } from "@/inngest/client";
import { functions } from "@/inngest/functions";
import { FUNCTIONS_PATH, inngestServer } from "@/server/jobs";

type Method = "GET" | "POST" | "PUT";
type Served = Record<Method, (request: NextRequest, context: unknown) => Promise<Response>>;

let served: Served | undefined;

/** Made on the first request: the handler reads the environment, which a build does not have. */
function handlers(): Served {
  // Whoever is not the server may not make this installation register itself either; the worker does that.
  served ??= serve({ client: inngest, functions, servePath: FUNCTIONS_PATH, enableUnauthedSync: false }) as Served;
  return served;
}

/** A closed door unless an Inngest server runs the functions: the embedded engine calls them without HTTP. */
const door = (method: Method) => async (request: NextRequest, context: unknown) =>
  inngestServer(env()) ? handlers()[method](request, context) : new Response(null, { status: 404 });

export const GET = door("GET");
export const POST = door("POST");
export const PUT = door("PUT");
