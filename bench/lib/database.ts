import { readFileSync } from "node:fs";
import postgres from "postgres";

/** Connects directly to a running product's embedded database. Rows come as stored: big numbers as text. */
export function databaseOf(dataDir: string) {
  const { port, password, user } = JSON.parse(readFileSync(`${dataDir}/postgres.json`, "utf8"));
  return postgres({
    host: "127.0.0.1",
    port,
    password,
    username: user,
    database: "whetstone",
    max: 2,
    onnotice: () => {},
  });
}
