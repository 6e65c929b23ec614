import path from "node:path";
import postgres from "postgres";
import { Cluster, urlOf } from "../../scripts/lib/database/postgres.mjs";

/** Connects directly to the embedded database of the running product. */
export const runningDatabase = (dataDir = process.env.E2E_DATA_DIR ?? "") =>
  postgres(urlOf(new Cluster(path.join(dataDir, "postgres"), { log: "" }).access, "whetstone"), {
    max: 1,
    onnotice: () => {},
  });
