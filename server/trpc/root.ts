import { accountRouter } from "./routers/account";
import { apiKeysRouter } from "./routers/api-keys";
import {
  diagnosticSettingsRouter,
  diagnosticsRouter,
  findingsRouter,
  ruleRunsRouter,
  rulesRouter,
} from "./routers/diagnostics";
import { modelPricesRouter } from "./routers/pricing";
import { projectsRouter } from "./routers/projects";
import { setupRouter } from "./routers/setup";
import { conversationsRouter, receiptsRouter, telemetryRouter, tracesRouter } from "./routers/telemetry";
import { router } from "./trpc";

/** What the workbench's pages call. Routers are by subject, so that a screen refreshes by subject. */
export const appRouter = router({
  account: accountRouter,
  apiKeys: apiKeysRouter,
  conversations: conversationsRouter,
  diagnosticSettings: diagnosticSettingsRouter,
  diagnostics: diagnosticsRouter,
  findings: findingsRouter,
  modelPrices: modelPricesRouter,
  projects: projectsRouter,
  receipts: receiptsRouter,
  ruleRuns: ruleRunsRouter,
  rules: rulesRouter,
  setup: setupRouter,
  telemetry: telemetryRouter,
  traces: tracesRouter,
});
export type AppRouter = typeof appRouter;
