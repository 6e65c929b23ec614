import type { z } from "zod";
import type { Caller } from "../../kinds/kind";
import { failedCall } from "../failed-call";
import { type Refusal, readReply, refusedCall, type Subject, subjectsOf } from "../failed-reply";
import { limitedUntil, type ReplyHeaders } from "../rate-limit";
import { TrackerError } from "../tracker-error";

const SERVICE = "GitLab";
export const SUBJECT = subjectsOf(SERVICE);
export const PAGE = { perPage: 100 };

const LIMIT_HEADERS = { remaining: "ratelimit-remaining", reset: "ratelimit-reset" };

export type GitlabApi = ReturnType<typeof gitlabApi>;
type Client = Awaited<ReturnType<typeof makeClient>>;

/** Returns a destination that is a project's path or id; throws otherwise. */
export function projectOf(destination: string): string {
  const isPath = /^[\w.-]+(\/[\w.-]+)+$/.test(destination) && !/(^|\/)\.+(\/|$)/.test(destination);
  if (isPath || /^\d{1,15}$/.test(destination)) return destination;
  throw new TrackerError("destination", `“${destination}” is not a project. Write it as group/project.`);
}

/** A reply with an error status. */
class RefusedReply extends Error {
  constructor(
    readonly status: number,
    readonly headers: ReplyHeaders,
    readonly body: unknown,
  ) {
    super(`GitLab replied with the status ${status}.`);
  }
}

type Options = {
  method?: string;
  headers?: Record<string, string>;
  searchParams?: string;
  prefixUrl?: string;
  body?: string;
};

/** Loads GitLab's client library, which is large, and routes its calls through the connection. */
async function makeClient(service: Caller) {
  const [{ Commits, IssueNotes, Issues, PersonalAccessTokens, Projects, Users }, { createRequesterFn }] =
    await Promise.all([import("@gitbeaker/core"), import("@gitbeaker/requester-utils")]);
  async function request(endpoint: string, options: Options = {}) {
    const { method = "GET", headers = {}, searchParams, prefixUrl = "", body } = options;
    const url = new URL(endpoint, `${prefixUrl.replace(/\/+$/, "")}/`);
    url.search = searchParams ?? "";
    const reply = await service.fetch(url, { method, headers, ...(body !== undefined && { body }) });
    const parsed = parsedJson(await reply.text());
    const replyHeaders = Object.fromEntries(reply.headers);
    if (!reply.ok) throw new RefusedReply(reply.status, replyHeaders, parsed);
    return { body: parsed as Record<string, unknown>, headers: replyHeaders, status: reply.status };
  }
  const options = {
    host: service.baseUrl.replace(/\/+$/, "").replace(/\/api\/v4$/, ""), // the library appends it itself
    requesterFn: createRequesterFn(
      async (_, given) => given,
      (endpoint, given) => request(endpoint, given as Options) as never,
    ),
    rateLimits: {},
    queryTimeout: null, // each request has its own timeout
  };
  return {
    commits: new Commits(options),
    issues: new Issues(options),
    notes: new IssueNotes(options),
    projects: new Projects(options),
    tokens: new PersonalAccessTokens(options),
    users: new Users(options),
  };
}

/** Creates a client of GitLab's API on top of a client library, which is loaded on the first call. */
export function gitlabApi(service: Caller) {
  let client: Promise<Client> | undefined;
  return {
    /** Makes a call and parses its reply (for a list, all pages) with the schema. */
    async call<Schema extends z.ZodType>(
      subject: Subject,
      schema: Schema,
      ask: (client: Client) => Promise<unknown>,
    ): Promise<z.output<Schema>> {
      client ??= makeClient(service);
      const reply = await ask(await client).catch((error: unknown) => {
        throw error instanceof RefusedReply ? refusedCall(refusalOf(error), subject) : failedCall(error);
      });
      return readReply(schema, reply, SERVICE);
    },
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the message of an error reply: text, a list, or fields with the problems of each. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([field, what]) => `${field} ${wordsOf(what)}`)
    .join("; ");
}

function refusalOf({ status, headers, body }: RefusedReply): Refusal {
  const { message, error, error_description: description } = Object(body) as Record<string, unknown>;
  const words = wordsOf(
    message ?? description ?? error ?? (typeof body === "string" && !body.includes("<") ? body : ""),
  );
  return { status, words, retryAt: limitedUntil({ status, headers, words }, LIMIT_HEADERS) };
}
