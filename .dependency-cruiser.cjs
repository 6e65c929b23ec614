/** The seven rules of the layout: doors → services → platform and db, never the other way. */
const rule = (name, from, to, toNot) => ({
  name,
  severity: "error",
  from: { path: from },
  to: { path: to, ...(toNot && { pathNot: toNot }) },
});
const DOORS = "^(app|cli|server/(trpc|rest)|inngest/functions)/";
const VOCABULARY = "^server/services/.*/(schemas|types)\\.ts$";

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    // A column's words (its states, its JSON's shape) are declared once, where services and screens read them too.
    rule("db-is-the-floor", "^db/(?!testing/)", "^(app|server|inngest)/", `^server/platform/|${VOCABULARY}`),
    rule("services-know-no-door", "^server/services/", `${DOORS}|^inngest/client`),
    rule("doors-do-not-query", DOORS, "^db/schema"),
    rule("doors-enter-by-the-index", DOORS, "^server/services/", "^server/services/.*/(index|schemas)\\.ts$"),
    rule("schemas-are-portable", VOCABULARY, "^(app|db|inngest|server)/", `${VOCABULARY}|^server/platform/`),
    rule(
      "services-enter-by-the-index",
      "^server/services/([^/]+)/",
      "^server/services/",
      "^server/services/($1/|.*/(index|schemas)\\.ts$)",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.test\\.tsx?$" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "require", "node", "default"] },
  },
};
