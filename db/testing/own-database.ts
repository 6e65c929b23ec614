import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { closePool } from "../pool";
import { refuseNetworkInsideTransactions } from "./no-network-inside-transactions";
import { applicationUrlOf, onServer, TEMPLATE, urlOf } from "./template";

/** Vitest setupFile: runs before a test file is imported, so that `db/pool` opens the file's private database. */
const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
await onServer((sql) => sql.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy`));
Object.assign(process.env, {
  DATABASE_URL: applicationUrlOf(name),
  MIGRATION_DATABASE_URL: urlOf(name),
  WHETSTONE_SECRET: "test-secret-".repeat(4),
  LOG_LEVEL: "silent",
  DATA_DIR: path.join(tmpdir(), name),
});

refuseNetworkInsideTransactions();

/** What is stored later would open the pool again, which is shared with the next file, on this file's database. */
const storedLater = globalThis as { whetstoneRefusals?: { stop(): void } };

afterAll(async () => {
  storedLater.whetstoneRefusals?.stop();
  await closePool();
  await rm(path.join(tmpdir(), name), { recursive: true, force: true });
  await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
});
