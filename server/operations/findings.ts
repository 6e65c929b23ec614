import {
  addFindingNote,
  compareVersions,
  contrastFinding,
  countFindings,
  countForReview,
  deleteFindingNote,
  downloadFindings,
  findingTimeline,
  findingTraits,
  getFinding,
  listAssignees,
  listFindingCauses,
  listFindingEvents,
  listFindingNotes,
  listFindings,
  listOccurrences,
  listVersions,
  mergeFindingsByHand,
  repairHandoff,
  splitFinding,
  undoFindingChange,
  updateFinding,
  updateFindingNote,
  updateFindings,
} from "@/server/services/diagnostics";
import { deprecated, get, patch, post, project, remove, under } from "./row";

const findings = `${project}/diagnostics/findings`;
const finding = `${findings}/:findingId`;

export const FINDINGS = {
  findings: under("Findings", {
    list: get(findings, listFindings),
    download: get(`${project}/diagnostics/finding-export`, downloadFindings),
    updateMany: post(`${findings}/bulk`, updateFindings),
    undo: post(`${findings}/undo`, undoFindingChange),
    reviewCount: get(`${project}/diagnostics/review-count`, countForReview),
    count: get(`${project}/diagnostics/finding-count`, countFindings),
    assignees: get(`${project}/diagnostics/assignees`, listAssignees),
    get: get(finding, getFinding),
    update: patch(finding, updateFinding),
    occurrences: get(`${finding}/occurrences`, listOccurrences),
    timeline: get(`${finding}/timeline`, findingTimeline),
    traits: get(`${finding}/traits`, findingTraits),
    contrast: get(`${finding}/contrast`, contrastFinding),
    causes: get(`${finding}/causes`, listFindingCauses),
    events: get(`${finding}/events`, listFindingEvents),
    merge: post(`${finding}/merge`, mergeFindingsByHand),
    split: post(`${finding}/split`, splitFinding),
    repairHandoff: deprecated("2026-11-22", post(`${finding}/repair-handoff`, repairHandoff)),
  }),
  versions: under("Versions", {
    list: get(`${project}/versions`, listVersions),
    compare: get(`${project}/version-comparison`, compareVersions),
  }),
  findingNotes: under("Findings", {
    list: get(`${finding}/notes`, listFindingNotes),
    add: post(`${finding}/notes`, addFindingNote, 201),
    update: patch(`${finding}/notes/:noteId`, updateFindingNote),
    delete: remove(`${finding}/notes/:noteId`, deleteFindingNote),
  }),
};
