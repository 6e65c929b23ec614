import { downloadAudit, listAudit } from "@/server/services/audit";
import { get, project, under } from "../row";

export const AUDIT = {
  audit: under("Audit log", {
    list: get(`${project}/audit-log`, listAudit),
    download: get(`${project}/audit-log.csv`, downloadAudit),
  }),
};
