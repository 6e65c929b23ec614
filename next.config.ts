import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  // A workbench on one's own machine, or behind a proxy that compresses: processor time goes to ingest.
  compress: false,
  // `npm run verify` checks types and lint, on every file and not only on those that a page reaches.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["@node-rs/argon2", "postgres", "pino", "protobufjs", "inngest"],
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

export default config;
