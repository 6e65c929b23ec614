import "server-only";

export { maskExample } from "./masking/mask-example";
export { proposals } from "./proposals";
export { bandsOf, signatureOf } from "./selection/min-hash";
export {
  type Caps,
  type Collected,
  type Offered,
  type SelectionCode,
  selectProposals,
} from "./selection/select-proposals";
export type {
  CollectedOccurrence,
  CollectionEvidence,
  CollectionSettings,
  Goal,
  LeftCode,
  LeftOut,
  MaskingMode,
  ModelAnswer,
  Objective,
  Proposal,
  Propose,
  Proposed,
  ProposeRequest,
  ReasonCode,
} from "./types";
