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
    reply: healthReply,
    open: health,
  },
  {
    heading: "Service",
    method: "GET",
    path: "/openapi.json",
    name: "service.openapi",
    summary: "Returns this API as an OpenAPI 3.1 document.",
    reply: openApiReply,
    open: cachedJson(() => openApiOf(OPERATIONS)),
  },
];

/** Every route of `/v1`, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [...Object.values(operations).flatMap(routesOf), ...OPEN];
