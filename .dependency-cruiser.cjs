/** The layout's dependency rules: doors → services → platform and db, never the other way. */
const rule = (name, from, to, toNot) => ({
  name,
  severity: "error",
  from: { path: from },
  to: { path: to, ...(toNot && { pathNot: toNot }) },
});
/** What tests of doors share may look behind them. */
const DOORS = "^(app|cli|server/(operations|trpc|rest|mcp)(?!/testing)|inngest/functions)/";
const VOCABULARY = "^server/services/.*/(schemas|types)\\.ts$";
/** Values and types of columns, declared in the schema without any library. */
const VALUES = "^db/schema/(enumerations|json)\\.ts$";

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    rule("db-is-the-floor", "^db/(?!testing/)", "^(app|server|inngest)/", "^server/platform/"),
    rule("services-know-no-door", "^server/services/", `${DOORS}|^inngest/`),
    rule("the-table-knows-no-door", "^server/operations/", "^server/(trpc|rest|mcp)/"),
    rule("platform-is-a-floor", "^server/platform/", "^(app|cli|inngest|server/(?!platform/))"),
    rule("the-http-server-knows-no-rule", "^web/", "^(app|cli|db|inngest|server)/", "^server/platform/"),
    rule("doors-do-not-query", DOORS, "^db/schema"),
    rule("doors-enter-by-the-index", DOORS, "^server/services/", "^server/services/.*/(index|schemas)\\.ts$"),
    rule("schemas-are-portable", VOCABULARY, "^(app|db|inngest|server)/", `${VOCABULARY}|${VALUES}|^server/platform/`),
    // What is shipped never starts a simulated tracker or a throwaway product.
    {
      name: "the-testbed-is-for-tests",
      severity: "error",
      from: { path: "^(app|cli|db|inngest|scripts|server|web|worker)/", pathNot: "(^|/)testing(/|\\.ts$)" },
      to: { path: "^(e2e|testbed|tests)/" },
    },
    // Screens import these through the services' schemas.
    rule("values-import-nothing", VALUES, ".", VALUES),
    {
      name: "services-enter-by-the-index",
      severity: "error",
      // What prepares a test reaches where the test does.
      from: { path: "^server/services/([^/]+)/", pathNot: "/testing/" },
      to: { path: "^server/services/", pathNot: "^server/services/($1/|.*/(index|schemas)\\.ts$)" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.test\\.tsx?$" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "require", "node", "default"] },
  },
};
