import type { Convention } from "./convention";
import { CONVENTIONS } from "./conventions";
import { isShownOnly, isTaken } from "./read-span";
import { attributesRead } from "./readers/attributes-read";

/** Returns the attributes of an exporter that are read or shown, those of its own convention first. */
export const attributesSent = (convention: Convention): string[] => [
  ...new Set([...attributesRead(convention), ...(convention.shown ?? []), ...convention.alsoSends]),
];

const useOf = (name: string) => (isShownOnly(name) ? "shown with the span" : isTaken(name) ? "read" : "");

/** Returns the document of what is read of each exporter. */
export const whatIsRead = (): string =>
  `# What is read of each exporter

Generated from \`server/services/telemetry/otlp/conventions\` by \`npm run docs:what-is-read\`. “Read” means that messages, calls, usage, costs,
identities or errors are made from it; everything else is stored and shown with its span.

${CONVENTIONS.map(sectionOf).join("\n")}`;

const sectionOf = (convention: Convention) => {
  const { name, source, unread } = convention;
  return `## ${name}

${source === null ? "From captured spans and what other projects read, not from its source." : `From ${source}; older names are from captured spans.`}

| Attribute | Use |
|---|---|
${[
  ...attributesSent(convention).map((attribute) => `| \`${attribute}\` | ${useOf(attribute)} |`),
  ...Object.entries(unread).map(([attribute, why]) => `| \`${attribute}\` | not read: ${why} |`),
].join("\n")}
`;
};
