import type { Inngest, InngestFunction } from "inngest";
import { serve } from "inngest/edge";
import { logger } from "@/server/platform/logging/log";
import { createOutage } from "../events/outage";

type RegisterOptions = {
  client: Inngest.Any;
  functions: readonly InngestFunction.Any[];
  /** The address at which the server reaches this installation. */
  origin: string;
  signal: AbortSignal;
};

export const FUNCTIONS_PATH = "/api/inngest";

/**
 * Registers the functions and their address with the Inngest server, retrying until it succeeds. The handler makes no requests
 * to this installation, so this works before the web process is up.
 */
export async function registerFunctions({ client, functions, origin, signal }: RegisterOptions): Promise<void> {
  const handle = serve({ client, functions: [...functions], serveOrigin: origin, servePath: FUNCTIONS_PATH });
  const outage = createOutage("The Inngest server", logger("jobs"));
  const address = new URL(FUNCTIONS_PATH, origin);
  while (!signal.aborted) {
    const reply = await handle(new Request(address, { method: "PUT", headers: { host: address.host } }));
    if (reply.ok) {
      logger("jobs").info({ functions: functions.length }, "The functions are registered with the Inngest server.");
      return;
    }
    await sleep(outage.failed(new Error(await reply.text())), signal);
  }
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
