// @ts-check
// Preloaded into every child: it does not outlive the supervisor, however that ended.
process.on("disconnect", () => process.exit(1));
