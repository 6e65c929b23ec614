import {
  createNotificationRule,
  deleteNotificationRule,
  getDelivery,
  getNotificationRule,
  listDeliveries,
  listNotificationRules,
  listPausedWebhooks,
  replayDelivery,
  resumeWebhook,
  updateNotificationRule,
} from "@/server/services/notifications";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const notificationsRouter = router({
  rules: query(listNotificationRules),
  rule: query(getNotificationRule),
  createRule: mutation(createNotificationRule),
  updateRule: mutation(updateNotificationRule),
  removeRule: mutation(deleteNotificationRule),
  deliveries: query(listDeliveries),
  delivery: query(getDelivery),
  replay: mutation(replayDelivery),
  pausedWebhooks: query(listPausedWebhooks),
  resume: mutation(resumeWebhook),
});
