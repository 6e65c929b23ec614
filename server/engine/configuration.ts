import type { Env } from "@/env";

type Settings = Pick<Env, "INNGEST_BASE_URL" | "INNGEST_EVENT_KEY" | "INNGEST_SIGNING_KEY" | "INNGEST_DEV">;

/** Returns the Inngest server that runs the functions; `undefined` with the embedded engine. */
export function inngestServer(env: Settings) {
  if (!env.INNGEST_BASE_URL) return undefined;
  return {
    baseUrl: env.INNGEST_BASE_URL,
    eventKey: env.INNGEST_EVENT_KEY,
    signingKey: env.INNGEST_SIGNING_KEY,
    isDev: isOn(env.INNGEST_DEV),
  };
}

const isOn = (value: string | undefined) => value !== undefined && !["", "0", "false"].includes(value.toLowerCase());

/** Throws a message for the operator if jobs could not run, or if anyone could run them. */
export function assertEngineConfiguration(env: Settings): void {
  const server = inngestServer(env);
  if (!server || server.isDev) return;
  if (!server.signingKey) {
    throw new Error(
      "INNGEST_BASE_URL is set, but INNGEST_SIGNING_KEY is not: without it anyone could run this installation's jobs. " +
        "Set it to the server's signing key, or set INNGEST_DEV=1 if that is a development server.",
    );
  }
  if (!server.eventKey) {
    throw new Error(
      "INNGEST_BASE_URL is set, but INNGEST_EVENT_KEY is not: the server would accept no events. " +
        "Set it to one of the server's event keys, or set INNGEST_DEV=1 if that is a development server.",
    );
  }
}
