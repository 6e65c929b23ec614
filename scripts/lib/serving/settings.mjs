// @ts-check
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { OperatorError } from "../system/operator-error.mjs";
import { isPackaged, SETTINGS_ROOT } from "../system/paths.mjs";

const ENV_FILE = path.join(SETTINGS_ROOT, ".env");

/** Loads it; variables that are already set take precedence. */
if (existsSync(ENV_FILE)) process.loadEnvFile?.(ENV_FILE);

const DATA_DIR = isPackaged ? path.join(homedir(), ".whetstone") : ".data";

const WEB_PROCESSES_MAX = 16;

/**
 * Reads the settings needed before any application code runs; env.ts reads everything else.
 * @param {NodeJS.ProcessEnv} env
 */
export function readSettings(env = process.env) {
  const host = env.HOST || "127.0.0.1";
  const port = Number(env.PORT || 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new OperatorError(`PORT is "${env.PORT}"; it must be a number from 0 (any free port) to 65535.`);
  }
  const webProcesses = Number(env.WEB_PROCESSES || 1);
  if (!Number.isInteger(webProcesses) || webProcesses < 1 || webProcesses > WEB_PROCESSES_MAX) {
    throw new OperatorError(
      `WEB_PROCESSES is "${env.WEB_PROCESSES}"; it must be a number from 1 to ${WEB_PROCESSES_MAX}.`,
    );
  }
  const databaseUrl = databaseUrlIn(env, "DATABASE_URL");
  const migrationDatabaseUrl = databaseUrlIn(env, "MIGRATION_DATABASE_URL");
  if (migrationDatabaseUrl && !databaseUrl) {
    throw new OperatorError("MIGRATION_DATABASE_URL needs DATABASE_URL: the embedded database has its own owner.");
  }
  if (env.DATABASE_POOLER && !migrationDatabaseUrl) {
    throw new OperatorError(
      "DATABASE_POOLER needs MIGRATION_DATABASE_URL: migrations and backups need connections of their own.",
    );
  }
  return {
    host,
    port,
    webProcesses,
    databaseUrl,
    migrationDatabaseUrl,
    dataDir: path.resolve(SETTINGS_ROOT, env.DATA_DIR || DATA_DIR),
    publicUrl: env.PUBLIC_URL || undefined,
  };
}

/** @param {NodeJS.ProcessEnv} env @param {string} name */
function databaseUrlIn(env, name) {
  const url = env[name] || undefined;
  if (url && !(/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))) {
    throw new OperatorError(`${name} must look like postgres://user:password@host:5432/database.`);
  }
  return url;
}

/** Returns the public address. @param {{host: string, port: number, publicUrl: string | undefined}} settings */
export function addressOf({ host, port, publicUrl }) {
  if (publicUrl) return publicUrl.replace(/\/+$/, "");
  const everywhere = host === "0.0.0.0" || host === "::";
  return `http://${everywhere ? "localhost" : isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Returns the external database, if one is configured. @param {ReturnType<typeof readSettings>} settings */
export const givenDatabase = ({ databaseUrl, migrationDatabaseUrl }) =>
  databaseUrl === undefined ? undefined : { url: databaseUrl, ownerUrl: migrationDatabaseUrl };
