import { listAudit } from "@/server/services/audit";
import { query } from "../procedures";
import { router } from "../trpc";

export const auditRouter = router({ list: query(listAudit) });
