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
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const connectionsRouter = router({
  list: query(listConnections),
  get: query(getConnection),
  create: mutation(createConnection),
  update: mutation(updateConnection),
  remove: mutation(deleteConnection),
  test: mutation(testConnection),
  createWebhook: mutation(createTrackerWebhook),
  ticketFields: query(getTicketFields),
  updateTicketFields: mutation(updateTicketFields),
});
