// @ts-check
// JavaScript on purpose: `npm start` reads this file too, and a TypeScript one would load a compiler into the server.

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // Runs on one's own machine or behind a proxy that compresses: CPU time goes to ingest.
  compress: false,
  // `npm run verify` type-checks every file, not only those that a page imports.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["@node-rs/argon2", "piscina"],
  experimental: {
    optimizePackageImports: [
      "@mantine/core",
      "@mantine/hooks",
      "@mantine/charts",
      "@mantine/dates",
      "@tabler/icons-react",
    ],
  },
};
