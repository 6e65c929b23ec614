import { isShownOnly, isTaken } from "../read-span";
import type { Family } from "./family";
import { LANGSMITH } from "./langsmith";
import { LIVEKIT } from "./livekit";

/** Exporters whose source was read attribute by attribute. */
export const FAMILIES: readonly Family[] = [LANGSMITH, LIVEKIT];

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
