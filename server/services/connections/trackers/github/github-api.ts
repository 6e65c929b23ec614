import type { Octokit } from "@octokit/rest";
import { z } from "zod";
import type { Caller } from "../../kinds/kind";
import { failedCall } from "../failed-call";
import { type Refusal, readReply, refusedCall, type Subject, subjectsOf } from "../failed-reply";
import { limitedUntil, type ReplyHeaders } from "../rate-limit";
import { TrackerError } from "../tracker-error";
import { LIMIT_HEADERS } from "./limit-headers";

const SERVICE = "GitHub";
export const SUBJECT = subjectsOf(SERVICE);
export const PAGE = { per_page: 100 };

type Reply = { data: unknown; headers: ReplyHeaders };
export type Repository = { owner: string; repo: string };
export type GithubApi = ReturnType<typeof githubApi>;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const NEXT_PAGE = /<([^<>]+)>;\s*rel="next"/;

/** Returns the repository that a destination names. */
export function repositoryOf(destination: string): Repository {
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(destination) ?? [];
  if (owner && repo && ![owner, repo].some((part) => /^\.+$/.test(part))) return { owner, repo };
  const message = `“${destination}” is not a repository. Write it as owner/repo.`;
  throw new TrackerError("destination", message);
}

/** Moves a link to the connection's origin: a server behind a proxy may use its own host name in its links. */
function belowOrigin(baseUrl: string, link: string): string {
  const { pathname, search } = new URL(link, baseUrl);
  return new URL(pathname + search, baseUrl).href;
}

/** Creates a client of GitHub's API on top of GitHub's own library, which is loaded on the first call. */
export function githubApi(service: Caller) {
  let client: Promise<Octokit> | undefined;
  const load = async () => {
    const { Octokit } = await import("@octokit/rest");
    const request = { fetch: service.fetch, log: silent };
    return new Octokit({ baseUrl: service.baseUrl.replace(/\/+$/, ""), request, log: silent });
  };

  /** Makes a call and parses its reply with the schema. */
  async function call<Schema extends z.ZodType>(
    subject: Subject,
    schema: Schema,
    ask: (octokit: Octokit) => Promise<Reply>,
  ): Promise<{ data: z.output<Schema>; headers: ReplyHeaders }> {
    client ??= load();
    const octokit = await client;
    const { data, headers } = await ask(octokit).catch((error: unknown) => {
      throw callError(error, subject);
    });
    return { data: readReply(schema, data, SERVICE), headers };
  }

  return {
    call,
    renew: service.renew,

    /** Makes a call with invalid input, which cannot succeed; throws if it is refused for any other reason. */
    async invalid(subject: Subject, ask: (octokit: Octokit) => Promise<Reply>): Promise<void> {
      client ??= load();
      const octokit = await client;
      await ask(octokit).catch((error: unknown) => {
        if (replyError.safeParse(error).data?.status !== 422) throw callError(error, subject);
      });
    },

    /** Yields the pages of a list by following GitHub's `Link` header; page numbers alone are limited to the first pages. */
    async *pages<Item extends z.ZodType>(subject: Subject, item: Item, ask: (octokit: Octokit) => Promise<Reply>) {
      let next: string | undefined;
      do {
        const url = next;
        const request = url === undefined ? ask : (octokit: Octokit) => octokit.request({ method: "GET", url });
        const { data, headers } = await call(subject, z.array(item), request);
        yield data;
        const [, link] = NEXT_PAGE.exec(`${headers.link ?? ""}`) ?? [];
        next = link && belowOrigin(service.baseUrl, link);
      } while (next !== undefined);
    },
  };
}

const replyError = z.object({
  status: z.number(),
  response: z.object({ headers: z.record(z.string(), z.any()), data: z.unknown() }),
});

function callError(error: unknown, subject: Subject): unknown {
  const { data } = replyError.safeParse(error);
  if (data === undefined) return failedCall(error instanceof Error ? (error.cause ?? error) : error);
  return refusedCall(refusalOf(data.status, data.response.headers, data.response.data), subject);
}

const errorBody = z.object({
  message: z.string(),
  errors: z
    .array(
      z.union([
        z.string(),
        z.object({ field: z.string().nullish(), code: z.string().nullish(), message: z.string().nullish() }),
      ]),
    )
    .nullish()
    .catch(null),
});

/** Returns the message of an error reply, with the fields that it names. */
function refusalOf(status: number, headers: ReplyHeaders, body: unknown): Refusal {
  const { message = "", errors } = errorBody.safeParse(body).data ?? {};
  const details = (errors ?? []).map((one) =>
    typeof one === "string" ? one : (one.message ?? [one.field, one.code].filter(Boolean).join(" ")),
  );
  const words = [message, details.join("; ")].filter(Boolean).join(": ");
  return { status, words, retryAt: limitedUntil({ status, headers, words }, LIMIT_HEADERS) };
}
