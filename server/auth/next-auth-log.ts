import type { LoggerInstance } from "next-auth";
import { logger } from "@/server/platform/logging/log";

/** Codes that next-auth logs when a cookie has expired or its session was revoked: routine events, not errors. */
const ROUTINE = new Set(["JWT_SESSION_ERROR", "SIGNOUT_ERROR"]);
/** next-auth's browser part may post arbitrary codes; anything that does not look like a code is not logged. */
const CODE = /^[A-Z_]{1,60}$/;
const WHY_MAX = 300;

/** Returns the provider's error message for the operator. Only errors of this process count: a browser posts plain text. */
const whyOf = (metadata: unknown) =>
  metadata !== null && typeof metadata === "object" && "error" in metadata && metadata.error instanceof Error
    ? metadata.error.message.slice(0, WHY_MAX)
    : undefined;

/** Logs the code only, never all of the metadata: it may contain the request with its password. */
function note(level: "error" | "debug", code: string, metadata?: unknown) {
  if (!CODE.test(code)) return;
  logger("auth")[ROUTINE.has(code) ? "debug" : level]({ code, why: whyOf(metadata) }, "next-auth");
}

export const nextAuthLog: Partial<LoggerInstance> = {
  error: (code, metadata) => note("error", code, metadata),
  warn: (code) => note("debug", code),
  debug: () => {},
};
