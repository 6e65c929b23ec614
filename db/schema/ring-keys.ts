import { sql } from "drizzle-orm";
import { boolean, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt } from "./columns";

/** The key ring: keys that wrap the data keys of sealed fields, themselves wrapped under WHETSTONE_SECRET. */
export const ringKeys = pgTable(
  "ring_keys",
  {
    id: text("id").primaryKey(),
    wrapped: text("wrapped").notNull(),
    /** Whether it is the one that new secrets are sealed under; the others only open what they sealed. */
    current: boolean("current").notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("ring_keys_current").on(t.current).where(sql`current`)],
);
