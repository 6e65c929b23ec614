import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { TOKENS_OF_CONVERSATION } from "@/db/schema/telemetry";
import { tokensIn } from "./conversation-sorts";

test("the index of tokens adds up every name that counts tokens", () => {
  expect(TOKENS_OF_CONVERSATION).toBe(new PgDialect().sqlToQuery(tokensIn(sql.raw("usage"))).sql);
});
