import { accountRouter } from "./routers/account";
import { apiKeysRouter } from "./routers/api-keys";
import { auditRouter } from "./routers/audit";
import { backgroundJobsRouter } from "./routers/background-jobs";
import { connectionsRouter } from "./routers/connections";
import { backupsRouter, deletionsRouter, retentionRouter, storageRouter } from "./routers/data";
import {
  diagnosticSettingsRouter,
  diagnosticsRouter,
  findingsRouter,
  ruleRunsRouter,
  rulesRouter,
} from "./routers/diagnostics";
import { filesRouter } from "./routers/files";
import { linksRouter, membersRouter } from "./routers/members";
import { peopleRouter } from "./routers/people";
import { costsRouter, modelPricesRouter, repricingsRouter } from "./routers/pricing";
import { projectsRouter } from "./routers/projects";
import { setupRouter } from "./routers/setup";
import { signInRouter } from "./routers/sign-in";
import {
  conversationsRouter,
  maskingRouter,
  parkedTracesRouter,
  receiptsRouter,
  telemetryRouter,
  tracesRouter,
} from "./routers/telemetry";
import { router } from "./trpc";

/** The router for the workbench's pages, by subject, so that a screen can invalidate by subject. */
export const appRouter = router({
  account: accountRouter,
  apiKeys: apiKeysRouter,
  audit: auditRouter,
  backgroundJobs: backgroundJobsRouter,
  backups: backupsRouter,
  connections: connectionsRouter,
  conversations: conversationsRouter,
  deletions: deletionsRouter,
  diagnosticSettings: diagnosticSettingsRouter,
  diagnostics: diagnosticsRouter,
  files: filesRouter,
  findings: findingsRouter,
  links: linksRouter,
  masking: maskingRouter,
  members: membersRouter,
  costs: costsRouter,
  modelPrices: modelPricesRouter,
  repricings: repricingsRouter,
  parkedTraces: parkedTracesRouter,
  people: peopleRouter,
  projects: projectsRouter,
  receipts: receiptsRouter,
  retention: retentionRouter,
  ruleRuns: ruleRunsRouter,
  rules: rulesRouter,
  setup: setupRouter,
  signIn: signInRouter,
  storage: storageRouter,
  telemetry: telemetryRouter,
  traces: tracesRouter,
});
export type AppRouter = typeof appRouter;
