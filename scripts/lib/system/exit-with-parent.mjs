// @ts-check
// Preloaded into every child, so that it does not outlive the supervisor, however the supervisor ended.
process.on("disconnect", () => process.exit(1));

// A closed output pipe must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
