import { isShownOnly, isTaken } from "../read-span";
import { CAPTURED } from "./captured";
import type { Family } from "./family";
import { LANGFUSE } from "./langfuse";
import { LANGSMITH } from "./langsmith";
import { LIVEKIT } from "./livekit";
import { OPENINFERENCE } from "./openinference";
import { OPENLIT } from "./openlit";
import { OPENLLMETRY } from "./openllmetry";
import { OPENTELEMETRY } from "./opentelemetry";
import { PYDANTIC } from "./pydantic";
import { SEMANTIC_KERNEL } from "./semantic-kernel";
import { SENTRY } from "./sentry";
import { VERCEL_AI_SDK } from "./vercel-ai-sdk";

/** Exporters whose source was read attribute by attribute. */
export const FAMILIES: readonly Family[] = [
  OPENTELEMETRY,
  OPENINFERENCE,
  OPENLLMETRY,
  VERCEL_AI_SDK,
  LANGFUSE,
  LANGSMITH,
  PYDANTIC,
  SEMANTIC_KERNEL,
  SENTRY,
  LIVEKIT,
  OPENLIT,
  CAPTURED,
];

const useOf = (name: string) => (isShownOnly(name) ? "shown with the span" : isTaken(name) ? "read" : "");

/** Returns the document of what is read of each family. */
export const whatIsRead = (): string =>
  `# What is read of each exporter

Generated from the tables of \`server/services/telemetry/otlp/families\` by \`npm run docs:what-is-read\`. “Read” means that messages, calls, usage, costs,
identities or errors are made from it; everything else is stored and shown with its span.

${FAMILIES.map(sectionOf).join("\n")}`;

const sectionOf = ({ name, source, attributes, unread }: Family) =>
  `## ${name}

From ${source}.

| Attribute | Use |
|---|---|
${[
  ...attributes.map((attribute) => `| \`${attribute}\` | ${useOf(attribute)} |`),
  ...Object.entries(unread).map(([attribute, why]) => `| \`${attribute}\` | not read: ${why} |`),
].join("\n")}
`;
