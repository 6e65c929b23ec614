import {
  addFindingNote,
  contrastFinding,
  countForReview,
  deleteFindingNote,
  findingTimeline,
  getFinding,
  listAssignees,
  listFindingCauses,
  listFindingEvents,
  listFindingNotes,
  listFindings,
  listOccurrences,
  mergeFindingsByHand,
  splitFinding,
  undoFindingChange,
  updateFinding,
  updateFindingNote,
  updateFindings,
} from "@/server/services/diagnostics";
import type { AbsentOperation } from "../operation";
import { about, get, patch, post, project, remove } from "./line";

const findings = `${project}/diagnostics/findings`;
const finding = `${findings}/:findingId`;

/** The earlier variant of handing a Finding to a tracker. */
const REPAIR_HANDOFF: Omit<AbsentOperation, "subject"> = {
  method: "POST",
  path: `${finding}/repair-handoff`,
  name: "findings.repairHandoff",
  summary: "Create a repair issue for a Finding in a tracker.",
  description:
    "Deprecated. Without a tracker that can be handed to, authorized callers get a 501 that explains what is missing.",
  effect: "write",
  capability: ["diagnostics:write"],
  absent:
    "A repair handoff needs a tracker. Connect one under Integrations (kinds github, gitlab, linear and jira); this version stores such connections and does not create issues in them.",
  deprecated: { since: "2026-11-22" },
};

export const FINDINGS = about("Findings", [
  get(findings, listFindings),
  post(`${findings}/bulk`, updateFindings),
  post(`${findings}/undo`, undoFindingChange),
  get(`${project}/diagnostics/review-count`, countForReview),
  get(`${project}/diagnostics/assignees`, listAssignees),
  get(finding, getFinding),
  patch(finding, updateFinding),
  get(`${finding}/occurrences`, listOccurrences),
  get(`${finding}/timeline`, findingTimeline),
  get(`${finding}/contrast`, contrastFinding),
  get(`${finding}/causes`, listFindingCauses),
  get(`${finding}/events`, listFindingEvents),
  post(`${finding}/merge`, mergeFindingsByHand),
  post(`${finding}/split`, splitFinding),
  get(`${finding}/notes`, listFindingNotes),
  post(`${finding}/notes`, addFindingNote, 201),
  patch(`${finding}/notes/:noteId`, updateFindingNote),
  remove(`${finding}/notes/:noteId`, deleteFindingNote),
  REPAIR_HANDOFF,
]);
