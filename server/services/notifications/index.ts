import "server-only";

export { createNotificationRule } from "./create-notification-rule";
export { deleteNotificationRule } from "./delete-notification-rule";
export { getDelivery, listDeliveries } from "./list-deliveries";
export { getNotificationRule, listNotificationRules } from "./list-notification-rules";
export { listPausedWebhooks, resumeWebhook } from "./paused-webhooks";
export { queueNotices } from "./queue-notices";
export { replayDelivery } from "./replay-delivery";
export { failDelivery, sendDelivery } from "./send-delivery";
export { unsentDeliveries } from "./unsent-deliveries";
export { updateNotificationRule } from "./update-notification-rule";
