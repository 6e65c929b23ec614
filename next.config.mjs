// @ts-check
import { PHASE_DEVELOPMENT_SERVER } from "next/constants.js";

// JavaScript on purpose: `npm start` reads this file too, and a TypeScript one would load a compiler into the server.

/** @type {(phase: string) => import("next").NextConfig} */
export default (phase) => ({
  poweredByHeader: false,
  // `/v1` is a route of Next's in development alone, to be loaded again when it changes.
  pageExtensions: [...(phase === PHASE_DEVELOPMENT_SERVER ? ["dev.ts"] : []), "ts", "tsx"],
  // A workbench on one's own machine, or behind a proxy that compresses: processor time goes to ingest.
  compress: false,
  // `npm run verify` checks types, on every file and not only on those that a page reaches.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["@node-rs/argon2"],
  experimental: {
    optimizePackageImports: [
      "@mantine/core",
      "@mantine/hooks",
      "@mantine/charts",
      "@mantine/dates",
      "@tabler/icons-react",
    ],
  },
});
