import {
  abandonWorkItem,
  createHandoffRule,
  deleteHandoffRule,
  getHandoffRule,
  getWorkItem,
  handOff,
  handOffMany,
  listCodeReferences,
  listFindingWorkItems,
  listHandoffRules,
  listTicketChanges,
  listTrackerDeliveries,
  listWorkItems,
  previewHandOff,
  replaceWorkItem,
  replayTrackerDelivery,
  retryWorkItem,
  syncWorkItem,
  updateHandoffRule,
} from "@/server/services/diagnostics";
import { trackerWebhook, trackerWebhookReply } from "../tracker-webhook";
import { about, get, patch, post, project, remove } from "./line";

const items = `${project}/work-items`;
const ofFinding = `${project}/diagnostics/findings/:findingId/work-items`;
const item = `${ofFinding}/:workItemId`;
const rules = `${project}/handoff-rules`;
const deliveries = `${project}/tracker-deliveries`;

export const WORK_ITEMS = about("Work items", [
  get(items, listWorkItems),
  post(`${items}/batch`, handOffMany, 202),
  post(`${items}/preview`, previewHandOff),
  get(`${items}/:workItemId`, getWorkItem),
  get(ofFinding, listFindingWorkItems),
  post(ofFinding, handOff, 201),
  post(`${item}/sync`, syncWorkItem),
  post(`${item}/retry`, retryWorkItem),
  post(`${item}/replacements`, replaceWorkItem, 201),
  post(`${item}/abandon`, abandonWorkItem),
  get(`${item}/changes`, listTicketChanges),
  get(`${item}/references`, listCodeReferences),
  get(rules, listHandoffRules),
  post(rules, createHandoffRule, 201),
  get(`${rules}/:handoffRuleId`, getHandoffRule),
  patch(`${rules}/:handoffRuleId`, updateHandoffRule),
  remove(`${rules}/:handoffRuleId`, deleteHandoffRule),
  get(deliveries, listTrackerDeliveries),
  post(`${deliveries}/:trackerDeliveryId/replay`, replayTrackerDelivery, 202),
  {
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
]);
