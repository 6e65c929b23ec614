import type { Operation } from "../operation";
import { API_KEYS } from "./api-keys";
import { AUDIT } from "./audit";
import { BACKGROUND_JOBS } from "./background-jobs";
import { COLLECTION } from "./collection";
import { CONNECTIONS } from "./connections";
import { COSTS } from "./costs";
import { DATA } from "./data";
import { DATASET_FILES } from "./dataset-files";
import { DATASETS } from "./datasets";
import { DIAGNOSTICS } from "./diagnostics";
import { FILES } from "./files";
import { FINE_TUNING } from "./fine-tuning";
import { KNOWLEDGE_GOALS } from "./knowledge-goals";
import { MEMBERS } from "./members";
import { NOTIFICATIONS } from "./notifications";
import { PRICING } from "./pricing";
import { PROJECTS } from "./projects";
import { SAVED_VIEWS } from "./saved-views";
import { serviceOperations } from "./service";
import { TELEMETRY } from "./telemetry";
import { TRAINERS } from "./trainers";
import { WORK_ITEMS } from "./work-items";

/**
 * Every route of `/v1`, in the order of the reference. Its verb defines input, reply and capability; the tables here only add
 * the address.
 */
export const OPERATIONS: readonly Operation[] = [
  ...TELEMETRY,
  ...DIAGNOSTICS,
  ...WORK_ITEMS,
  ...DATASETS,
  ...DATASET_FILES,
  ...NOTIFICATIONS,
  ...SAVED_VIEWS,
  ...KNOWLEDGE_GOALS,
  ...COLLECTION,
  ...PRICING,
  ...COSTS,
  ...FINE_TUNING,
  ...TRAINERS,
  ...PROJECTS,
  ...CONNECTIONS,
  ...API_KEYS,
  ...MEMBERS,
  ...AUDIT,
  ...DATA,
  ...FILES,
  ...BACKGROUND_JOBS,
  ...serviceOperations(() => OPERATIONS),
];
