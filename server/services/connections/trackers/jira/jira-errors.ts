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

/** `ErrorCollection` of Jira's API description; its gateway sends a `message` instead. */
const NO_COMPLAINT = { errorMessages: [], errors: {}, message: "" };
const complaint = z
  .object({
    errorMessages: z.array(z.string()).catch([]),
    errors: z.record(z.string(), z.string()).catch({}),
    message: z.string().catch(""),
  })
  .catch(NO_COMPLAINT);
type Complaint = z.output<typeof complaint>;
/** When a rate limit ends, in seconds and as a time. */
const limitHeaders = z
  .object({ "retry-after": z.string().optional(), "x-ratelimit-reset": z.string().optional() })
  .catch({});
type LimitHeaders = z.output<typeof limitHeaders>;
/** The error that jira.js throws for a status of 400 to 499. Its cause is axios's error, which has the reply. */
const refused = z.object({
  cause: z.object({ response: z.object({ status: z.number(), headers: limitHeaders, data: complaint }) }),
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

function refusal(
  status: number,
  headers: LimitHeaders,
  { errorMessages, errors, message }: Complaint,
  subject: JiraSubject,
): TrackerError {
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

function rateLimited(headers: LimitHeaders): TrackerError {
  const resetAt = Date.parse(headers["x-ratelimit-reset"] ?? "");
  const seconds = retryAfterSeconds(headers["retry-after"]) ?? (Number.isNaN(resetAt) ? 60 : undefined);
  const retryAt = seconds === undefined ? resetAt : Date.now() + seconds * 1000;
  return new TrackerError("rate_limited", rateLimitWords("Jira", retryAt), { retryAt });
}
