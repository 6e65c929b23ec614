import { downloadAudit, listAudit } from "@/server/services/audit";
import { about, get, project } from "./line";

export const AUDIT = about("Audit log", [
  get(`${project}/audit-log`, listAudit),
  get(`${project}/audit-log.csv`, downloadAudit),
]);
