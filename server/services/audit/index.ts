import "server-only";

export { auditCsv } from "./audit-csv";
export { listAudit } from "./list-audit";
export { listMyActivity } from "./list-my-activity";
