import {
  createAlert,
  createNotificationRule,
  deleteAlert,
  deleteNotificationRule,
  getAlert,
  getDelivery,
  getNotificationRule,
  listAlertFirings,
  listAlerts,
  listDeliveries,
  listNotificationRules,
  listPausedWebhooks,
  previewAlert,
  replayDelivery,
  resumeWebhook,
  updateAlert,
  updateNotificationRule,
} from "@/server/services/notifications";
import { get, patch, post, project, remove, under } from "./row";

const rules = `${project}/notification-rules`;
const alerts = `${project}/alerts`;
const deliveries = `${project}/deliveries`;

export const NOTIFICATIONS = {
  alerts: under("Alerts", {
    list: get(alerts, listAlerts),
    create: post(alerts, createAlert, 201),
    preview: get(`${project}/alert-preview`, previewAlert),
    get: get(`${alerts}/:alertId`, getAlert),
    update: patch(`${alerts}/:alertId`, updateAlert),
    delete: remove(`${alerts}/:alertId`, deleteAlert),
    listFirings: get(`${alerts}/:alertId/firings`, listAlertFirings),
  }),
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
