import { z } from "zod";
import { OutboundError, retryAfterSeconds } from "@/server/platform/outbound";
import { failedCall } from "../failed-call";
import { rateLimitWords } from "../rate-limit";
import { quotedWords, TrackerError, type TrackerReason, trackerWords } from "../tracker-error";

/** What a request is about, which decides what "not found" means. */
export type JiraSubject = "site" | "project" | "ticket";

/** A `TrackerError` of Jira with the fields that it concerns. */
export class JiraError extends TrackerError {
  constructor(
    reason: TrackerReason,
    message: string,
    /** Jira's error messages by field id, such as `customfield_10010`. */
    readonly fields: Readonly<Record<string, string>> = {},
    readonly status?: number,
  ) {
    super(reason, message);
  }
}

/** The error that jira.js throws for a status of 400 to 499. Its cause is axios's error, which has the headers. */
const refused = z.object({
  cause: z.object({
    response: z.object({
      status: z.number(),
      headers: z.unknown().transform((headers) => Object.fromEntries(Object.entries({ ...(headers as object) }))),
      data: z.unknown(),
    }),
  }),
});
const complaint = z.object({
  errorMessages: z.array(z.string()).catch([]),
  errors: z.record(z.string(), z.string()).catch({}),
  message: z.string().catch(""),
});

/** Converts an error of jira.js to ours. */
export function jiraError(error: unknown, subject: JiraSubject, isWrite: boolean): unknown {
  const reply = refused.safeParse(error).data?.cause.response;
  if (reply) return refusal(reply.status, reply.headers, reply.data, subject);
  // axios and jira.js each wrap the connection's error.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return failedCall(cause, isWrite);
  }
  return error;
}

const NOT_FOUND: Record<JiraSubject, [TrackerReason, string]> = {
  site: [
    "destination",
    "There is no Jira at the connection's address. A site's address is https://your-site.atlassian.net.",
  ],
  project: [
    "destination",
    "Jira has no project with this key, or the account cannot see it. Check the key and the account's access.",
  ],
  ticket: [
    "gone",
    "The ticket no longer exists in Jira, or the account cannot see it. Replace the ticket if it is still needed.",
  ],
};
const UNKNOWN_ACCOUNT =
  "Jira does not accept the credential. Enter the account's e-mail address and an API token, as email:token; for Jira Data Center, a personal access token.";

function refusal(status: number, headers: Record<string, unknown>, data: unknown, subject: JiraSubject): TrackerError {
  const { errorMessages, errors, message } = complaint
    .catch({ errorMessages: [], errors: {}, message: "" })
    .parse(data);
  const words = trackerWords([...errorMessages, ...Object.values(errors)].join(" ") || message);
  if (status === 401) return new JiraError("credential", UNKNOWN_ACCOUNT, {}, status);
  if (status === 403) {
    const said = quotedWords(words);
    return new JiraError(
      "credential",
      `Jira does not let the account do this${said}. Ask an administrator of the project for the permission.`,
    );
  }
  if (status === 429) return rateLimited(headers);
  if (status === 404) return new JiraError(...NOT_FOUND[subject], {}, status);
  return new JiraError(
    "destination",
    `Jira rejected the request (${status})${quotedWords(words)}. Correct the connection's settings accordingly.`,
    errors,
    status,
  );
}

function rateLimited(headers: Record<string, unknown>): TrackerError {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const resetAt = Date.parse(texts["x-ratelimit-reset"] ?? "");
  const seconds = retryAfterSeconds(texts["retry-after"]) ?? (Number.isNaN(resetAt) ? 60 : undefined);
  const retryAt = seconds === undefined ? resetAt : Date.now() + seconds * 1000;
  return new TrackerError("rate_limited", rateLimitWords("Jira", retryAt), { retryAt });
}
