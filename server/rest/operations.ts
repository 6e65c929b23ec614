import { operations } from "@/server/operations";
import type { Row } from "@/server/operations/row";
import { health, healthReply } from "./health";
import { cachedJson } from "./http/cached-json";
import { openApiOf, openApiReply } from "./openapi";
import type { OpenOperation, Operation } from "./operation";
import { trackerWebhook, trackerWebhookReply } from "./tracker-webhook";

/** Returns the routes of a subject's rows. */
export const routesOf = (rows: Readonly<Record<string, Row>>): Operation[] =>
  Object.values(rows).flatMap(({ verb, addresses, heading }) =>
    addresses.map((address) => {
      if (heading === undefined) throw new Error(`${verb.spec.name} has no heading in the reference.`);
      return { ...address, heading, ["kind" in verb.spec ? "stream" : "verb"]: verb } as Operation;
    }),
  );

/** Routes without authentication, which no verb stands behind. */
const OPEN: readonly OpenOperation[] = [
  {
    heading: "Work items",
    method: "POST",
    path: "/tracker-webhooks/:projectId/:connectionId",
    name: "trackerDeliveries.receive",
    summary: "Receives the webhook deliveries of an issue tracker.",
    description:
      "The tracker's signature over the body is the credential: GitHub `X-Hub-Signature-256`, GitLab `X-Gitlab-Token` or `webhook-signature`, Linear `Linear-Signature`, Jira `X-Hub-Signature`. A delivery only names a ticket, which is then read. Repeating a delivery has no effect. A wrong signature is a 401, and a delivery sent more than 10 minutes ago is a 400. A delivery may have up to 5 MiB.",
    reply: trackerWebhookReply,
    status: 202,
    open: trackerWebhook,
  },
  {
    heading: "Service",
    method: "GET",
    path: "/healthz",
    name: "service.health",
    summary: "Returns whether the process responds. It does not check storage, jobs or providers.",
    description:
      "For a supervisor: a process that does not answer within its time limit should be restarted. Whether it can serve requests, with the database and what else it needs, is said by `/readyz`, outside `/v1`.",
    reply: healthReply,
    open: health,
  },
  {
    heading: "Service",
    method: "GET",
    path: "/openapi.json",
    name: "service.openapi",
    summary: "Returns this API as an OpenAPI 3.1 document.",
    description:
      "The same for everybody, and for one version of Whetstone always the same. Send its `ETag` as `If-None-Match` to get a 304 while it is unchanged.",
    reply: openApiReply,
    open: cachedJson(() => openApiOf(OPERATIONS)),
  },
];

/** Every route of `/v1`, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [...Object.values(operations).flatMap(routesOf), ...OPEN];
