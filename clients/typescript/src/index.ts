import { errorOf } from "./errors.js";
import {
  ApiError,
  type ClientConfig,
  createClient,
  OPERATIONS,
  type OperationDescriptor,
  type Ops,
  type RequestOptions,
  type ServerSentEvent,
  type SseOptions,
} from "./generated.js";

export * from "./errors.js";
export { type RequestOptions, TimeoutError } from "./generated.js";

export type WhetstoneOptions = {
  /** The address of the installation, such as `https://whetstone.example.com`. */
  url: string;
  /** `whet_…`, made on the project's page of API keys. */
  apiKey: string;
  /** The project of the key, for operations that name it; a call's own `projectId` wins. */
  projectId?: string;
  /** How often a request is repeated. Default: 3. */
  retries?: number;
  /** Milliseconds for each try. Default: a minute. */
  timeout?: number;
  fetch?: typeof fetch;
};

/** What each `.` of an operation's name is in generated names. */
type Of<Group extends string, Id> = Id extends `${Group}_${infer Verb}` ? Verb : never;
type GroupOf<Id> = Id extends `${infer Group}_${string}` ? Group : never;

/** Distributes over unions, which `Omit` would merge. */
type Args<Given> = Given extends unknown
  ? Omit<Given, "projectId" | "Idempotency-Key"> &
      (Given extends { projectId: string } ? { projectId?: string } : unknown)
  : never;
type Parameters<Given, Options> =
  Record<never, never> extends Args<Given>
    ? [args?: Args<Given>, options?: Options]
    : [args: Args<Given>, options?: Options];

type Lists<Op extends { args: object; result: unknown }> = Op extends { item: infer Item }
  ? {
      /** Yields every item, page by page as they are needed. */
      items(...given: Parameters<Op["args"], RequestOptions>): AsyncGenerator<Item>;
      /** Yields every page. */
      pages(...given: Parameters<Op["args"], RequestOptions>): AsyncGenerator<Op["result"]>;
    }
  : unknown;

type Method<Op extends { args: object; result: unknown }> = Op extends { kind: "sse" }
  ? (...given: Parameters<Op["args"], SseOptions>) => AsyncGenerator<ServerSentEvent<Op["result"]>>
  : ((...given: Parameters<Op["args"], RequestOptions>) => Promise<Op["result"]>) & Lists<Op>;

/** Every operation of `/v1`, under the name that the reference gives it: `findings.list`. */
export type Whetstone = {
  readonly [Group in GroupOf<keyof Ops>]: {
    readonly [Id in keyof Ops as Of<Group, Id>]: Method<Ops[Id]>;
  };
};

/** A longer wait is the caller's to decide: the error says how long it is. */
const MAX_WAIT_SECONDS = 60;
const REPEATABLE = new Set(["GET", "PUT", "DELETE"]);
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

/** Whether a request is repeated: only if repeating has no second effect, after a failure that may pass. */
const mayRetry: NonNullable<NonNullable<ClientConfig["retry"]>["retryOn"]> = ({ request, response }) => {
  const isSafe = REPEATABLE.has(request.method) || "Idempotency-Key" in request.headers;
  // A 429 had no effect, whatever it was for.
  if (response?.status !== 429 && !isSafe) return false;
  if (!response) return true;
  const wait = response.headers.get("retry-after");
  // The first try of this key is still running, which only its own caller can get.
  const isRunning = response.status === 409 && wait !== null && request.method === "POST";
  return (isRunning || TRANSIENT.has(response.status)) && Number(wait ?? 0) <= MAX_WAIT_SECONDS;
};

/** Puts `Retry-After` into the problem, which is all that the generated client's error keeps of a response. */
async function withRetryAfter(response: Response) {
  const wait = response.headers.get("retry-after");
  if (response.ok || wait === null) return;
  const { status, headers } = response;
  const problem = await response.json().catch(() => ({}));
  return new Response(JSON.stringify({ ...problem, retryAfter: Number(wait) }), { status, headers });
}

const typed = (error: unknown) => (error instanceof ApiError ? errorOf(error.status, error.body) : error);

async function* typedErrors<Yielded>(generator: AsyncGenerator<Yielded>): AsyncGenerator<Yielded> {
  try {
    yield* generator;
  } catch (error) {
    throw typed(error);
  }
}

type Call = (args: object, options: object) => Promise<unknown> | AsyncGenerator<unknown>;
type List = { items: (args: object, options?: object) => AsyncGenerator<unknown> } & {
  pages: (args: object, options?: object) => AsyncGenerator<unknown>;
};

/** Creates a client of one installation. */
export function createWhetstone({ url, apiKey, projectId, retries = 3, timeout = 60_000, ...more }: WhetstoneOptions) {
  const generated = createClient<Ops>(OPERATIONS, {
    serverUrl: `${url.replace(/\/+$/, "")}/v1`,
    argsStyle: "flat",
    clientHeader: false,
    auth: { bearer: apiKey },
    retry: { retries, retryDelay: 500, retryOn: mayRetry },
    timeout,
    middleware: [{ onResponse: withRetryAfter }],
    ...more,
  }) as unknown as Record<string, Call & List>;

  const groups: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries<OperationDescriptor>(OPERATIONS)) {
    const [group = "", verb = ""] = id.split("_", 2);
    const call = generated[id] as Call & List;
    const names = new Set(operation.params?.map(({ name }) => name));
    const bound = (args: object = {}) =>
      names.has("projectId") && projectId !== undefined ? { projectId, ...args } : args;
    const method = (args?: object, options?: object) => {
      const reply = call(bound(args), { idempotencyKey: names.has("Idempotency-Key"), ...options });
      return "then" in reply ? reply.catch((error: unknown) => Promise.reject(typed(error))) : typedErrors(reply);
    };
    groups[group] ??= {};
    groups[group][verb] = operation.pagination
      ? Object.assign(method, {
          items: (args?: object, options?: object) => typedErrors(call.items(bound(args), options)),
          pages: (args?: object, options?: object) => typedErrors(call.pages(bound(args), options)),
        })
      : method;
  }
  return groups as unknown as Whetstone;
}
