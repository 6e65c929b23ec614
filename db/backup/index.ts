export { ArchiveProblem, readLine } from "./archive";
export { backUp } from "./back-up";
export { type ReadBackup, readBackup, restore, restoreFiles } from "./restore";
export { fingerprintOf, secretOf, unseal } from "./secret";
