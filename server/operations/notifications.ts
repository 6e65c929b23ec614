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
import { get, patch, post, project, remove, under } from "./row";

const rules = `${project}/notification-rules`;
const deliveries = `${project}/deliveries`;

export const NOTIFICATIONS = {
  notificationRules: under("Notifications", {
    list: get(rules, listNotificationRules),
    create: post(rules, createNotificationRule, 201),
    get: get(`${rules}/:notificationRuleId`, getNotificationRule),
    update: patch(`${rules}/:notificationRuleId`, updateNotificationRule),
    delete: remove(`${rules}/:notificationRuleId`, deleteNotificationRule),
  }),
  deliveries: under("Notifications", {
    list: get(deliveries, listDeliveries),
    get: get(`${deliveries}/:deliveryId`, getDelivery),
    replay: post(`${deliveries}/:deliveryId/replay`, replayDelivery, 202),
  }),
  webhooks: under("Notifications", {
    listPaused: get(`${project}/paused-webhooks`, listPausedWebhooks),
    resume: post(`${project}/paused-webhooks/:connectionId/resume`, resumeWebhook, 202),
  }),
};
