import "server-only";

export type { ConnectionClient } from "./connection-client";
export { createConnection } from "./create-connection";
export { deleteConnection } from "./delete-connection";
export { getConnection } from "./get-connection";
export { listConnections } from "./list-connections";
export { modelConnections } from "./model-connections";
export { checkHub, hideHubToken, modelHubs, openHub } from "./model-hubs";
export { openConnection } from "./open-connection";
export type { TrackerSettings } from "./schemas";
export { testConnection } from "./test-connection";
export { trackerConnections } from "./tracker-connections";
export { createTrackerWebhook, readWebhookSecret } from "./tracker-webhooks";
export { TRACKER_LABELS, WEBHOOKS } from "./trackers/kinds";
export { openTracker } from "./trackers/open-tracker";
export type { CodeReference, Ticket, Tracker, WebhookEvent } from "./trackers/tracker";
export { TrackerError } from "./trackers/tracker-error";
export { updateConnection } from "./update-connection";
