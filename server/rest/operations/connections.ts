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
import { about, get, patch, post, project, remove } from "./line";

export const CONNECTIONS = about("Connections", [
  get(`${project}/connections`, listConnections),
  post(`${project}/connections`, createConnection, 201),
  get(`${project}/connections/:connectionId`, getConnection),
  patch(`${project}/connections/:connectionId`, updateConnection),
  remove(`${project}/connections/:connectionId`, deleteConnection),
  post(`${project}/connections/:connectionId/test`, testConnection),
  post(`${project}/connections/:connectionId/webhook`, createTrackerWebhook, 201),
  get(`${project}/connections/:connectionId/ticket-fields`, getTicketFields),
  patch(`${project}/connections/:connectionId/ticket-fields`, updateTicketFields),
]);
