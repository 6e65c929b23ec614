import type { LoggerInstance } from "next-auth";
import { logger } from "@/server/platform/log";

/** What next-auth says when a cookie has run out or was ended: an everyday event, not an error. */
const EVERYDAY = new Set(["JWT_SESSION_ERROR", "SIGNOUT_ERROR"]);
/** The browser's half of next-auth may post codes of its own; only what looks like one is written down. */
const CODE = /^[A-Z_]{1,60}$/;
const WHY_MAX = 300;

/** What went wrong with a provider, for the operator. Only an error of this process is one: a browser's post is text. */
const whyOf = (metadata: unknown) =>
  metadata !== null && typeof metadata === "object" && "error" in metadata && metadata.error instanceof Error
    ? metadata.error.message.slice(0, WHY_MAX)
    : undefined;

/** Never all of the metadata: it may carry the request with its password. */
function note(level: "error" | "debug", code: string, metadata?: unknown) {
  if (!CODE.test(code)) return;
  logger("auth")[EVERYDAY.has(code) ? "debug" : level]({ code, why: whyOf(metadata) }, "next-auth");
}

export const nextAuthLog: Partial<LoggerInstance> = {
  error: (code, metadata) => note("error", code, metadata),
  warn: (code) => note("debug", code),
  debug: () => {},
};
