/**
 * Brings a database to where the code needs it, and says on stdout (one JSON object) what a start has to know.
 * Its own process and its own bundle, so that it is quick and leaves no memory behind.
 */
import { databaseProblem, prepareDatabase } from "@/db/prepare";
import { env } from "@/env";

async function main() {
  const url = databaseUrl();
  if (!url) return;
  try {
    const prepared = await prepareDatabase(url);
    const setupToken = process.argv.includes("--first-run") && prepared.users === 0 ? await firstRunToken() : null;
    process.stdout.write(`${JSON.stringify({ serverVersion: prepared.serverVersion, setupToken })}\n`);
  } catch (error) {
    fail(databaseProblem(error, url));
  }
}

/** The first look at the environment: what is wrong with it is told before anything is served. */
function databaseUrl() {
  try {
    return env().DATABASE_URL;
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
