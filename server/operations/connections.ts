import {
  createConnection,
  createTrackerWebhook,
  deleteConnection,
  getConnection,
  getTicketFields,
  listConnections,
  testConnection,
  updateConnection,
  updateTicketFields,
} from "@/server/services/connections";
import { get, patch, post, project, remove, under } from "./row";

export const CONNECTIONS = {
  connections: under("Connections", {
    list: get(`${project}/connections`, listConnections),
    create: post(`${project}/connections`, createConnection, 201),
    get: get(`${project}/connections/:connectionId`, getConnection),
    update: patch(`${project}/connections/:connectionId`, updateConnection),
    delete: remove(`${project}/connections/:connectionId`, deleteConnection),
    test: post(`${project}/connections/:connectionId/test`, testConnection),
    createWebhook: post(`${project}/connections/:connectionId/webhook`, createTrackerWebhook, 201),
    getTicketFields: get(`${project}/connections/:connectionId/ticket-fields`, getTicketFields),
    updateTicketFields: patch(`${project}/connections/:connectionId/ticket-fields`, updateTicketFields),
  }),
};
