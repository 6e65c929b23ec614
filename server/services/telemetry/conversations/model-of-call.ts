import { sql } from "drizzle-orm";

/** SQL of the model of a call `m`, as daily sums have it: the response's, else the requested one, `''` for none. */
export const MODEL_OF_CALL = sql`coalesce(nullif(m.response_model, ''), m.requested_model, '')`;
