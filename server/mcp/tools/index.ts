import type { Tool } from "../tool";
import { listRules, startBackfill } from "./backfills";
import { priceCall, readCosts } from "./costs";
import { addToDataset, listDatasets } from "./datasets";
import { listFindings, readFinding, triageFinding } from "./findings";
import { listVariants, readProgress, startProof } from "./proofs";
import { readConversation } from "./read-conversation";
import { searchConversations } from "./search-conversations";

/** Every tool, in the order in which they are listed. A client reads all of them before it does anything: they are few and short. */
export const TOOLS: readonly Tool[] = [
  listFindings,
  readFinding,
  triageFinding,
  searchConversations,
  readConversation,
  listDatasets,
  addToDataset,
  listRules,
  startBackfill,
  listVariants,
  startProof,
  readProgress,
  priceCall,
  readCosts,
];
