/**
 * Brings a database to where the code needs it, and says on stdout (one JSON object) what a start has to know.
 * Its own process and its own bundle, so that it is quick and leaves no memory behind.
 */
import { databaseProblem, prepareDatabase } from "@/db/prepare";

async function main() {
  const prepared = await prepareDatabase(process.env["DATABASE_URL"] ?? "");
  const setupToken = process.argv.includes("--first-run") && prepared.users === 0 ? await firstRunToken() : null;
  process.stdout.write(`${JSON.stringify({ serverVersion: prepared.serverVersion, setupToken })}\n`);
}

async function firstRunToken() {
  const { db, closePool } = await import("@/db/pool");
  const { createSetupLink } = await import("@/server/services/identity");
  return createSetupLink(db())
    .then((link) => link?.token ?? null)
    .finally(closePool);
}

main().catch((error: unknown) => {
  process.stderr.write(`${databaseProblem(error)}\n`);
  process.exitCode = 1;
});
