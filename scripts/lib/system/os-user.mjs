// @ts-check
import { spawnSync } from "node:child_process";
import { chmodSync, lchownSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { OperatorError } from "./operator-error.mjs";
import { print } from "./print.mjs";

/**
 * PostgreSQL refuses to run as root. If we run as root, it gets its own account; otherwise it runs as the current user.
 * @typedef {{uid: number, gid: number, name: string}} Account
 * @typedef {(command: string, args: readonly string[]) => {command: string, args: readonly string[], uid?: number, gid?: number}} Launcher
 */

const NAMES = ["whetstone", "postgres"];
const isRoot = () => process.getuid?.() === 0;

/** @param {string} name @returns {Account | undefined} */
function account(name) {
  const id = (/** @type {string} */ flag) =>
    Number.parseInt(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout ?? "", 10);
  const uid = id("-u");
  return Number.isNaN(uid) || uid === 0 ? undefined : { name, uid, gid: id("-g") };
}

/** Commands that create a system account on Debian and Red Hat, and on Alpine. */
const WAYS = [
  {
    command: "useradd",
    args: [
      "--system",
      "--user-group",
      "--no-create-home",
      "--home-dir",
      "/nonexistent",
      "--shell",
      "/usr/sbin/nologin",
      "whetstone",
    ],
  },
  { command: "adduser", args: ["-S", "-D", "-H", "-s", "/sbin/nologin", "whetstone"] },
];

/** @returns {Account | undefined} undefined if no other account is needed */
export function databaseAccount() {
  if (!isRoot()) return undefined;
  const existing = NAMES.map(account).find((found) => found);
  if (existing) return existing;
  for (const { command, args } of WAYS) {
    spawnSync(command, args, { stdio: "ignore" });
    const made = account("whetstone");
    if (made) return made;
  }
  const nobody = account("nobody");
  if (nobody) return nobody;
  throw new OperatorError(
    "PostgreSQL does not run as root, and no account could be created for it. Create one (useradd --system whetstone), run this as another user, or set DATABASE_URL.",
  );
}

/** Capabilities that let a process traverse folders: bit numbers of linux/capability.h. */
const PASSES_FOLDERS = [
  { name: "dac_read_search", bit: 2n },
  { name: "dac_override", bit: 1n },
];

function heldCapabilities() {
  try {
    const [, hex = "0"] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return BigInt(`0x${hex}`);
  } catch {
    return 0n;
  }
}

/**
 * Returns a launcher that runs a program as the account. A clone under /root, or in a folder of `mktemp -d`, is closed to
 * other users; rather than us opening the folders, the program then keeps the one capability it needs, to traverse them.
 * @param {Account | undefined} as
 * @param {{program: string, folder: string}} reaching paths that it must be able to reach
 * @returns {Launcher}
 */
export function launcherFor(as, { program, folder }) {
  if (!as) return (command, args) => ({ command, args });
  /** @type {Launcher} */
  const plain = (command, args) => ({ command, args, uid: as.uid, gid: as.gid });
  /** @param {string} capability @returns {Launcher} */
  const passing = (capability) => (command, args) => ({
    command: "setpriv",
    args: [
      `--reuid=${as.uid}`,
      `--regid=${as.gid}`,
      "--clear-groups",
      `--inh-caps=-all,+${capability}`,
      `--ambient-caps=-all,+${capability}`,
      // Otherwise access(2), which PostgreSQL calls first, responds as if the capability were missing.
      "--securebits=+no_setuid_fixup",
      "--",
      command,
      ...args,
    ],
  });
  const works = (/** @type {Launcher} */ launch) => {
    const { command, args, ...ids } = launch("/bin/sh", ["-c", 'cd "$0" && "$1" --version', folder, program]);
    const { status, stderr } = spawnSync(command, args, { ...ids, cwd: "/", encoding: "utf8" });
    return status === 0 && stderr === ""; // it may only warn about what it cannot reach
  };
  const held = heldCapabilities();
  const ways = [plain, ...PASSES_FOLDERS.filter(({ bit }) => (held >> bit) & 1n).map(({ name }) => passing(name))];
  const found = ways.find(works);
  if (found) return found;
  for (const closed of new Set([...closedFolders(program), ...closedFolders(folder)])) {
    print(
      `Letting other users traverse ${closed} (not list it): the database runs as "${as.name}", because it may not run as root.`,
    );
    chmodSync(closed, statSync(closed).mode | 0o011);
  }
  if (works(plain)) return plain;
  throw new OperatorError(
    `The database runs as the user "${as.name}" because it may not run as root, and that user cannot reach ${folder} or ${program}. Move them to a folder that it can reach, or set DATABASE_URL.`,
  );
}

/** @param {string} target */
function closedFolders(target) {
  const closed = [];
  for (let folder = path.dirname(target); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o011) !== 0o011) closed.push(folder);
  }
  return closed;
}

/**
 * Makes the account the owner of a folder and everything in it; fast if it already is.
 * @param {string} folder
 * @param {Account | undefined} as
 */
export function chownTo(folder, as) {
  if (!as || lstatSync(folder).uid === as.uid) return;
  const give = (/** @type {string} */ entry) => {
    if (lstatSync(entry).isDirectory()) for (const name of readdirSync(entry)) give(path.join(entry, name));
    lchownSync(entry, as.uid, as.gid);
  };
  give(folder); // the folder itself last, so that an interrupted run is repeated
}
