// @ts-check
import { existsSync } from "node:fs";
import path from "node:path";
import { canInstallPackages, installPackage } from "../system/debian.mjs";

const FOLDERS = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin"];

/** Returns the path of an installed PgBouncer. */
export const poolerPath = () => FOLDERS.map((folder) => path.join(folder, "pgbouncer")).find(existsSync);

/** Installs PgBouncer for the tests in CI. Elsewhere the package would start a service. @param {(name: string) => string} logFor */
export async function poolerForTests(logFor) {
  if (!poolerPath() && process.env.CI && canInstallPackages()) await installPackage("pgbouncer", logFor);
}
