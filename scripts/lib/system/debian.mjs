// @ts-check
import { existsSync } from "node:fs";
import { step } from "./print.mjs";
import { runLogged } from "./processes.mjs";

export const canInstallPackages = () => process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

/** @param {string} name of a Debian package @param {(name: string) => string} logFor */
export const installPackage = (name, logFor) =>
  step(`Installing Debian's ${name} for the tests`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await runLogged("apt-get", ["update"], { log: logFor("apt-update"), env, failed: "apt-get update failed." });
    await runLogged("apt-get", ["install", "-y", "--no-install-recommends", name], {
      log: logFor(`apt-${name}`),
      env,
      failed: `Debian's ${name} could not be installed.`,
    });
  });
