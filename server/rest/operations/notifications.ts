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
import { about, get, patch, post, project, remove } from "./line";

const rules = `${project}/notification-rules`;
const deliveries = `${project}/deliveries`;

export const NOTIFICATIONS = about("Notifications", [
  get(rules, listNotificationRules),
  post(rules, createNotificationRule, 201),
  get(`${rules}/:notificationRuleId`, getNotificationRule),
  patch(`${rules}/:notificationRuleId`, updateNotificationRule),
  remove(`${rules}/:notificationRuleId`, deleteNotificationRule),
  get(deliveries, listDeliveries),
  get(`${deliveries}/:deliveryId`, getDelivery),
  post(`${deliveries}/:deliveryId/replay`, replayDelivery, 202),
  get(`${project}/paused-webhooks`, listPausedWebhooks),
  post(`${project}/paused-webhooks/:connectionId/resume`, resumeWebhook, 202),
]);
