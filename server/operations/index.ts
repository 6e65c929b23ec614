import { ACCOUNT } from "./administration/account";
import { API_KEYS } from "./administration/api-keys";
import { AUDIT } from "./administration/audit";
import { BACKGROUND_JOBS } from "./administration/background-jobs";
import { DATA } from "./administration/data";
import { MEMBERS } from "./administration/members";
import { PEOPLE } from "./administration/people";
import { PROJECTS } from "./administration/projects";
import { CHARTS } from "./charts";
import { COLLECTION } from "./collection";
import { CONNECTIONS } from "./connections";
import { DATASET_FILES } from "./dataset-files";
import { DATASETS } from "./datasets";
import { DIAGNOSTICS } from "./diagnostics";
import { EVALUATIONS } from "./evaluations";
import { FILES } from "./files";
import { FINDINGS } from "./findings";
import { GATEWAY } from "./gateway";
import { HOME } from "./home";
import { KNOWLEDGE_GOALS } from "./knowledge-goals";
import { NOTIFICATIONS } from "./notifications";
import { PRICING } from "./pricing";
import { PROMPTS } from "./prompts";
import { SAMPLE } from "./sample";
import { SAVED_VIEWS } from "./saved-views";
import { SERVING } from "./serving";
import { SHARING } from "./sharing";
import { TELEMETRY } from "./telemetry";
import { TRAINERS } from "./trainers";
import { TRAINING } from "./training";
import { VARIANTS } from "./variants";
import { WORK_ITEMS } from "./work-items";

/**
 * Every operation, by subject and action, in the order of the reference. Its name is `<subject>.<action>`; its verb defines input,
 * reply and capability; the rows only add the address in `/v1`. `server/rest` and `server/trpc` serve what is here.
 */
export const operations = {
  ...HOME,
  ...TELEMETRY,
  ...FINDINGS,
  ...DIAGNOSTICS,
  ...WORK_ITEMS,
  ...DATASETS,
  ...DATASET_FILES,
  ...NOTIFICATIONS,
  ...PROMPTS,
  ...CHARTS,
  ...SAVED_VIEWS,
  ...SHARING,
  ...KNOWLEDGE_GOALS,
  ...COLLECTION,
  ...PRICING,
  ...TRAINING,
  ...SERVING,
  ...GATEWAY,
  ...EVALUATIONS,
  ...VARIANTS,
  ...TRAINERS,
  ...PROJECTS,
  ...CONNECTIONS,
  ...API_KEYS,
  ...MEMBERS,
  ...AUDIT,
  ...DATA,
  ...FILES,
  ...BACKGROUND_JOBS,
  ...ACCOUNT,
  ...PEOPLE,
  ...SAMPLE,
};
