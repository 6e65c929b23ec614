/**
 * Brings a database up to date and prints one JSON object with what a start needs to know.
 * A separate process and bundle, so that it is quick and its memory is released when it exits.
 */
import { databaseProblem, prepareDatabase } from "@/db/prepare";
import { env } from "@/env";

async function main() {
  const urls = databaseUrls();
  if (!urls) return;
  try {
    const prepared = await prepareDatabase(urls, { embedded: process.argv.includes("--embedded") });
    const setupToken = process.argv.includes("--first-run") && prepared.users === 0 ? await firstRunToken() : null;
    process.stdout.write(`${JSON.stringify({ serverVersion: prepared.serverVersion, setupToken })}\n`);
  } catch (error) {
    fail(databaseProblem(error, urls.url));
  }
}

/** Validates the environment, so that problems are reported before anything is served. */
function databaseUrls() {
  try {
    return { url: env().DATABASE_URL, ownerUrl: env().MIGRATION_DATABASE_URL };
  } catch (error) {
    fail((error as Error).message);
    return undefined;
  }
}

async function firstRunToken() {
  const { db, closePool } = await import("@/db/pool");
  const { createSetupLink } = await import("@/server/services/identity");
  return createSetupLink(db())
    .then((link) => link?.token ?? null)
    .finally(closePool);
}

function fail(problem: string) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

await main();
