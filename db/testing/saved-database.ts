import { afterAll } from "vitest";
import { closePool } from "../pool";
import { onServer } from "./template";

/**
 * Saves the test file's database with what is in it. The returned function brings that back, under the same name, in less time
 * than it takes to store it again. Pools and connections do not survive either; what a test keeps of them is closed.
 */
export async function savedDatabase() {
  const name = new URL(process.env.DATABASE_URL ?? "").pathname.slice(1);
  const saved = `${name}_saved`;
  const copy = (from: string, to: string) =>
    onServer((sql) => sql.unsafe(`create database ${to} template ${from} strategy file_copy`));
  const drop = (database: string) => onServer((sql) => sql.unsafe(`drop database if exists ${database} with (force)`));
  await closePool();
  await copy(name, saved);
  afterAll(() => drop(saved));
  return async () => {
    await closePool();
    await drop(name);
    await copy(saved, name);
  };
}
