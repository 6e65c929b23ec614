export { ArchiveProblem, readLine } from "./archive";
export { backUp } from "./back-up";
export { readBackup, restore } from "./restore";
export { fingerprintOf, unseal } from "./secret";
