// @ts-check
// Preloaded into every child: it does not outlive the supervisor, however that ended.
process.on("disconnect", () => process.exit(1));

// Whoever read its output may go away; that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
