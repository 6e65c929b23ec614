import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { readBody } from "@/server/platform/http/read-body";
import { respondOnce, type StoredResponse } from "@/server/services/idempotency";
import { type ProblemContext, problemResponse } from "./problem";
import { JSON_BODY_MAX } from "./read-json";

export const IDEMPOTENCY_KEY = "idempotency-key";
export const IDEMPOTENCY_KEY_MAX = 255;
const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`);

/** Returns the key, sent bare or as the quoted string of the IETF draft: both are the same key. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const given = headers.get(IDEMPOTENCY_KEY);
  if (given === null) return undefined;
  const key = given.trim().replace(/^"(.+)"$/, "$1");
  if (!KEY.test(key)) {
    throw new ServiceError(
      "invalid",
      `An Idempotency-Key has 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters, without spaces.`,
    );
  }
  return key;
}

const STORED_HEADERS = ["content-type", "retry-after"];

const toStoredResponse = async (response: Response): Promise<StoredResponse> => ({
  status: response.status,
  headers: Object.fromEntries(
    STORED_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  ),
  body: await response.text(),
});

/** The rest of a request after its `before` phase, to run on the given transaction. */
export type PreparedCall = (ctx: Ctx) => Promise<{ response: Response; after: () => Promise<void> }>;

/** Processes a POST at most once per key: a retry gets the first response and has no effect. */
export async function runOnce(
  ctx: Ctx,
  key: string,
  request: Request,
  problemContext: ProblemContext,
  prepare: (ctx: Ctx, request: Request) => Promise<PreparedCall>,
): Promise<Response> {
  const { method, url, headers } = request;
  const body = await readBody(request, JSON_BODY_MAX);
  const { response, replayed } = await respondOnce(
    ctx,
    { key, method, path: problemContext.instance, body },
    {
      begin: async (outer) => {
        const finish = await prepare(outer, new Request(url, { method, headers, body }));
        return async (inner) => {
          const finished = await finish(inner);
          return { response: await toStoredResponse(finished.response), after: finished.after };
        };
      },
      failed: async (error) => toStoredResponse(problemResponse(error, problemContext)),
    },
  );
  return new Response(response.body, {
    status: response.status,
    headers: { ...response.headers, ...(replayed ? { "idempotent-replayed": "true" } : {}) },
  });
}
