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
  repairHandoff,
  replaceWorkItem,
  replayTrackerDelivery,
  retryWorkItem,
  syncWorkItem,
  updateHandoffRule,
} from "@/server/services/diagnostics";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const workItemsRouter = router({
  list: query(listWorkItems),
  get: query(getWorkItem),
  ofFinding: query(listFindingWorkItems),
  changes: query(listTicketChanges),
  references: query(listCodeReferences),
  preview: query(previewHandOff),
  create: mutation(handOff),
  createMany: mutation(handOffMany),
  repairHandoff: mutation(repairHandoff),
  sync: mutation(syncWorkItem),
  retry: mutation(retryWorkItem),
  replace: mutation(replaceWorkItem),
  abandon: mutation(abandonWorkItem),
});

export const handoffRulesRouter = router({
  list: query(listHandoffRules),
  get: query(getHandoffRule),
  create: mutation(createHandoffRule),
  update: mutation(updateHandoffRule),
  remove: mutation(deleteHandoffRule),
});

export const trackerDeliveriesRouter = router({
  list: query(listTrackerDeliveries),
  replay: mutation(replayTrackerDelivery),
});
