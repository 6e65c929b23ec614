import { createHmac, randomUUID } from "node:crypto";
import { type ExecutionResult, graphql } from "graphql";
import { type Received, startService } from "@/server/services/connections/testing";
import { LINEAR_SCHEMA } from "./linear-schema";
import { linearWorkspace } from "./linear-workspace";
import type { SimulatedTracker } from "./simulated-tracker";
import { type Answer, withFaults } from "./with-faults";

const SECRET = "lin_api_simulated0123456789";
const DONE_TYPES = new Set(["completed", "canceled"]);

type Problem = { code: string; type: string; message: string; words: string; statusCode?: number };

/**
 * Returns Linear's form of a refused request: without `data`, because nothing of the document ran. The types are those of
 * `errorMap` in `packages/sdk/src/error.ts` of github.com/linear/linear.
 */
const problem = (
  status: number,
  { code, type, message, words, statusCode = status }: Problem,
  headers = {},
): Answer => ({
  status,
  headers,
  body: {
    errors: [{ message, extensions: { type, code, statusCode, userError: true, userPresentableMessage: words } }],
  },
});
/**
 * The status is 400 and `statusCode` is 429 (linear.app/developers/rate-limiting; as received in issue 1018 of
 * github.com/vanillagreencom/kendex).
 */
const LIMITED: Problem = {
  code: "RATELIMITED",
  type: "ratelimited",
  message: "Rate limit exceeded",
  words:
    "Rate limit exceeded. Only 2500 requests are allowed per 1 hour and you have made 2500 requests in the last hour.",
  statusCode: 429,
};
const limited = (): Answer =>
  problem(400, LIMITED, {
    "x-ratelimit-requests-limit": "2500",
    "x-ratelimit-requests-remaining": "0",
    "x-ratelimit-requests-reset": String(Date.now() + 1000),
    "x-ratelimit-complexity-remaining": "2900000",
    "x-ratelimit-complexity-reset": String(Date.now() + 3_600_000),
  });
/**
 * Linear sends a 401 only for a wrong key; its other refusals are a 400 with the reason in the extensions. No source shows the
 * status of a forbidden request: Linear's SDK goes by the type, and by 403 only without one, and so do we.
 */
const PROBLEMS: Record<number, [status: number, Problem]> = {
  400: [
    400,
    {
      code: "INVALID_INPUT",
      type: "invalid input",
      message: "Argument Validation Error",
      words: "title must be shorter than or equal to 512 characters.",
    },
  ],
  401: [
    401,
    {
      code: "AUTHENTICATION_ERROR",
      type: "authentication error",
      message: "Authentication required, not authenticated",
      words: "You need to authenticate to access this operation.",
    },
  ],
  403: [
    400,
    {
      code: "FORBIDDEN",
      type: "forbidden",
      message: "Forbidden",
      words: "You do not have permission to create issues in this team.",
    },
  ],
  429: [400, LIMITED],
};
const INTERNAL_ERROR: Problem = {
  code: "INTERNAL_SERVER_ERROR",
  type: "internal error",
  message: "Internal server error",
  words: "Something went wrong on our side.",
};
const failed = (status: number): Answer => problem(...(PROBLEMS[status] ?? [status, INTERNAL_ERROR]));

/** Linear replies with 200 and `data` of null if the document ran and failed, and with 400 and no `data` if it did not run. */
function answerOf({ data, errors }: ExecutionResult): Answer {
  if (errors === undefined) return { status: 200, body: { data } };
  const shown = errors.map(({ message, extensions }) => ({
    message,
    extensions:
      extensions.code === undefined ? { code: "GRAPHQL_VALIDATION_FAILED", type: "graphql error" } : extensions,
  }));
  return data === undefined
    ? { status: 400, body: { errors: shown } }
    : { status: 200, body: { errors: shown, data: null } };
}

type Options = { pageMax?: number; mayCreateLabels?: boolean };

/** For tests: Linear's GraphQL API on loopback, as published in its schema. */
export async function startLinear({ pageMax = 250, mayCreateLabels = true }: Options = {}): Promise<SimulatedTracker> {
  const service = await startService(() => undefined);
  const { root, issues, issueOf, moved } = linearWorkspace({
    url: () => service.url,
    lagMs: () => tracker.lagMs,
    pageMax,
    mayCreateLabels,
  });

  async function answer({ method, path, headers, body }: Received): Promise<Answer> {
    if (headers.authorization !== SECRET) return failed(401);
    if (method !== "POST" || path !== "/graphql") return { status: 404, body: { message: "Not found" } };
    const { query: source, variables: variableValues } = JSON.parse(body);
    return answerOf(await graphql({ schema: LINEAR_SCHEMA, source, variableValues, rootValue: root }));
  }

  const tracker: SimulatedTracker = {
    baseUrl: service.url,
    secret: SECRET,
    destination: "ENG",
    unusableDestination: "GONE",
    webhookSecret: "lin_wh_simulated0123456789",
    tickets: () =>
      issues
        .filter(({ trashed }) => !trashed)
        .map(({ id, identifier, title, description, state, labels, comments }) => ({
          externalId: id,
          key: identifier,
          title,
          body: description,
          state: state.name,
          isDone: DONE_TYPES.has(state.type),
          labels: labels.map(({ name }) => name),
          comments: [...comments.values()],
        })),
    setDone(externalId, done, name) {
      const row = issueOf(externalId);
      const isWanted = (type: string) => (done ? type === "completed" : type === "unstarted");
      const state = row.team.workflow.find((one) => (name === undefined ? isWanted(one.type) : one.name === name));
      if (!state) throw new Error(`Linear has no state ${name}.`);
      moved(row, { state });
    },
    remove: (externalId) => void moved(issueOf(externalId), { trashed: true }),
    mention(externalId, { kind, title }) {
      const row = issueOf(externalId);
      const isCommit = kind === "commit";
      const path = isCommit ? `commit/${"0123456789abcdef".repeat(2)}` : `pull/${row.links.length + 1}`;
      row.links.push({
        id: randomUUID(),
        url: `https://github.com/acme/app/${path}`,
        title,
        sourceType: isCommit ? "githubCommit" : "github",
        metadata: isCommit ? {} : { status: "open" },
        createdAt: new Date().toISOString(),
      });
      moved(row, {});
    },
    delivery(externalId) {
      const { id, identifier, title, url, updatedAt, state, team } = issueOf(externalId);
      const body = JSON.stringify({
        action: "update",
        type: "Issue",
        createdAt: updatedAt,
        url,
        data: { id, identifier, title, updatedAt, state, teamId: team.id, team: { id: team.id, key: team.key } },
        webhookTimestamp: Date.now(),
        webhookId: randomUUID(),
      });
      const headers = {
        "content-type": "application/json; charset=utf-8",
        "linear-delivery": randomUUID(),
        "linear-event": "Issue",
        "linear-signature": createHmac("sha256", tracker.webhookSecret).update(body).digest("hex"),
      };
      return { headers, body };
    },
    fault: () => undefined,
    lagMs: 0,
    received: service.received,
    stop: () => service.stop(),
  };
  service.reply = withFaults(tracker, answer, { limited, failed });
  return tracker;
}
