import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { readBody } from "@/server/platform/read-body";
import { type Answer, answerOnce } from "@/server/services/idempotency";
import { type Asked, problemResponse } from "./problem";
import { JSON_BODY_MAX } from "./read-json";

export const IDEMPOTENCY_KEY = "idempotency-key";
export const IDEMPOTENCY_KEY_MAX = 255;
const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`);

/** The key as sent, bare or as the quoted string of the IETF draft: both are the same key. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const given = headers.get(IDEMPOTENCY_KEY);
  if (given === null) return undefined;
  const key = given.trim().replace(/^"(.*)"$/, "$1");
  if (!KEY.test(key)) {
    throw new ServiceError(
      "invalid",
      `An Idempotency-Key has 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters, without spaces.`,
    );
  }
  return key;
}

const KEPT_HEADERS = ["content-type", "retry-after"];

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  ),
  body: await response.text(),
});

/** A request whose `before` is done: the rest of it, for the transaction that it is given. */
export type Begun = (ctx: Ctx) => Promise<{ response: Response; after: () => Promise<void> }>;

/** Answers a POST once for its key: sent again, it is told the first answer and does nothing. */
export async function runOnce(
  ctx: Ctx,
  key: string,
  request: Request,
  asked: Asked,
  begin: (ctx: Ctx, request: Request) => Promise<Begun>,
): Promise<Response> {
  const { method, url, headers } = request;
  const body = await readBody(request, JSON_BODY_MAX);
  const { answer, replayed } = await answerOnce(
    ctx,
    { key, method, path: asked.instance, body },
    {
      begin: async (outer) => {
        const finish = await begin(outer, new Request(url, { method, headers, body }));
        return async (inner) => {
          const { response, after } = await finish(inner);
          return { answer: await answerOf(response), after };
        };
      },
      failed: async (error) => answerOf(problemResponse(error, asked)),
    },
  );
  return new Response(answer.body, {
    status: answer.status,
    headers: { ...answer.headers, ...(replayed ? { "idempotent-replayed": "true" } : {}) },
  });
}
