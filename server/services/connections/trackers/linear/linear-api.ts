import { z } from "zod";
import type { Caller } from "../../kinds/kind";
import { failedCall } from "../failed-call";
import { unreadableReply } from "../failed-reply";
import { TrackerError } from "../tracker-error";
import { linearError, linearProblems } from "./linear-errors";

/** A GraphQL document with the type of its variables and the shape of its reply. */
export type LinearDocument<Variables, Reply extends z.ZodType> = { text: string; reply: Reply; variables?: Variables };
/** Sends a document and returns its data; throws a `TrackerError`. */
export type LinearRequest = <Variables extends object, Reply extends z.ZodType>(
  document: LinearDocument<Variables, Reply>,
  variables: NoInfer<Variables>,
) => Promise<z.output<Reply>>;

export const linearDocument =
  <Variables extends object>() =>
  <Reply extends z.ZodType>(text: string, reply: Reply): LinearDocument<Variables, Reply> => ({ text, reply });

/** A refused request has no `data`, as GraphQL demands; one that failed while it ran has `null`. */
const envelope = z.object({ data: z.unknown().optional(), errors: linearProblems.optional() });

/** Returns a function that sends documents to Linear through the connection. Queries are retried; mutations are not. */
export const linearRequest =
  (service: Caller): LinearRequest =>
  async ({ text, reply }, variables) => {
    const isWrite = text.trimStart().startsWith("mutation");
    const { status, headers, body } = await service
      .request({
        path: "/graphql",
        method: "POST",
        json: { query: text, variables },
        repeatable: !isWrite,
        accepts: (code) => code < 500,
      })
      .catch((error: unknown) => {
        throw failedCall(error, isWrite);
      });
    const { data, errors = [] } = envelope.safeParse(parsed(body)).data ?? {};
    // Linear reports errors with any status, 200 included.
    if (errors.length > 0 || status >= 400) throw linearError(errors, { status, headers }, isWrite);
    const read = reply.safeParse(data);
    if (read.success) return read.data;
    throw new TrackerError("unavailable", unreadableReply("Linear"), { ambiguous: isWrite });
  };

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
