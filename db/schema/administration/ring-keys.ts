import { sql } from "drizzle-orm";
import { boolean, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt } from "../columns";

/** The key ring: keys that wrap the data keys of sealed fields, themselves wrapped with WHETSTONE_SECRET. */
export const ringKeys = pgTable(
  "ring_keys",
  {
    id: text("id").primaryKey(),
    wrapped: text("wrapped").notNull(),
    /** Whether new secrets are sealed with this key; the others only open existing ones. */
    current: boolean("current").notNull(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("ring_keys_current").on(t.current).where(sql`current`)],
);
