import { type SQL, sql } from "drizzle-orm";
import { textArray } from "./rows";
import { SEVERITIES } from "./schema/enumerations";

/** Returns the SQL of a severity's rank: 1 for the worst. */
export const severityRank = (severity: SQL) => sql`array_position(${textArray(SEVERITIES)}, ${severity})`;
