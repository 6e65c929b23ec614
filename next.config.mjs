// @ts-check
// JavaScript on purpose: `npm start` reads this file too, and a TypeScript one would load a compiler into the server.

import { existsSync } from "node:fs";

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // Runs on one's own machine or behind a proxy that compresses: CPU time goes to ingest.
  compress: false,
  // `npm run verify` type-checks every file, not only those that a page imports.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["@node-rs/argon2", "piscina"],
  experimental: {
    // Nothing reads them on the server: Node would need a flag for it. They take a third of the build.
    turbopackSourceMaps: false,
    // Writing it takes a fifth of the time, which an installation that is built once never gets back.
    turbopackFileSystemCacheForBuild: existsSync(new URL(".next/BUILD_ID", import.meta.url)),
    optimizePackageImports: [
      "@mantine/core",
      "@mantine/hooks",
      "@mantine/charts",
      "@mantine/dates",
      "@tabler/icons-react",
    ],
  },
};
