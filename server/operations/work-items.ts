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
  replaceWorkItem,
  replayTrackerDelivery,
  retryWorkItem,
  syncWorkItem,
  updateHandoffRule,
} from "@/server/services/diagnostics";
import { get, patch, post, project, remove, under } from "./row";

const items = `${project}/work-items`;
const ofFinding = `${project}/diagnostics/findings/:findingId/work-items`;
const item = `${ofFinding}/:workItemId`;
const rules = `${project}/handoff-rules`;
const deliveries = `${project}/tracker-deliveries`;

export const WORK_ITEMS = {
  workItems: under("Work items", {
    list: get(items, listWorkItems),
    createMany: post(`${items}/batch`, handOffMany, 202),
    preview: post(`${items}/preview`, previewHandOff),
    get: get(`${items}/:workItemId`, getWorkItem),
    listOfFinding: get(ofFinding, listFindingWorkItems),
    create: post(ofFinding, handOff, 201),
    sync: post(`${item}/sync`, syncWorkItem),
    retry: post(`${item}/retry`, retryWorkItem),
    replace: post(`${item}/replacements`, replaceWorkItem, 201),
    abandon: post(`${item}/abandon`, abandonWorkItem),
    changes: get(`${item}/changes`, listTicketChanges),
    references: get(`${item}/references`, listCodeReferences),
  }),
  handoffRules: under("Work items", {
    list: get(rules, listHandoffRules),
    create: post(rules, createHandoffRule, 201),
    get: get(`${rules}/:handoffRuleId`, getHandoffRule),
    update: patch(`${rules}/:handoffRuleId`, updateHandoffRule),
    delete: remove(`${rules}/:handoffRuleId`, deleteHandoffRule),
  }),
  trackerDeliveries: under("Work items", {
    list: get(deliveries, listTrackerDeliveries),
    replay: post(`${deliveries}/:trackerDeliveryId/replay`, replayTrackerDelivery, 202),
  }),
};
