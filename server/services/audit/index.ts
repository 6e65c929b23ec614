import "server-only";

export { downloadAudit } from "./download-audit";
export { listAudit } from "./list-audit";
export { listMyActivity } from "./list-my-activity";
