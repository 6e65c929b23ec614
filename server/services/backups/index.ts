import "server-only";

export { listBackups, recordBackup } from "./backups";
