import {
  addFindingNote,
  contrastFinding,
  countFindings,
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
  repairHandoff,
  splitFinding,
  undoFindingChange,
  updateFinding,
  updateFindingNote,
  updateFindings,
} from "@/server/services/diagnostics";
import { about, get, patch, post, project, remove } from "./line";

const findings = `${project}/diagnostics/findings`;
const finding = `${findings}/:findingId`;

export const FINDINGS = about("Findings", [
  get(findings, listFindings),
  post(`${findings}/bulk`, updateFindings),
  post(`${findings}/undo`, undoFindingChange),
  get(`${project}/diagnostics/review-count`, countForReview),
  get(`${project}/diagnostics/finding-count`, countFindings),
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
  { ...post(`${finding}/repair-handoff`, repairHandoff), deprecated: { since: "2026-11-22" } },
]);
