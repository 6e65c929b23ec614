import type { Convention } from "./convention";
import { CONVENTIONS } from "./conventions";
import { isShownOnly, isTaken } from "./read-span";

const useOf = (name: string) => (isShownOnly(name) ? "shown with the span" : isTaken(name) ? "read" : "");

/** Returns the document of what is read of each exporter. */
export const whatIsRead = (): string =>
  `# What is read of each exporter

Generated from \`server/services/telemetry/otlp/conventions\` by \`npm run docs:what-is-read\`. “Read” means that messages, calls, usage, costs,
identities or errors are made from it; everything else is stored and shown with its span.

${CONVENTIONS.map(sectionOf).join("\n")}`;

const sectionOf = ({ name, source, attributes, unread }: Convention) =>
  `## ${name}

${source === null ? "From captured spans and what other projects read, not from its source." : `From ${source}.`}

| Attribute | Use |
|---|---|
${[
  ...attributes.map((attribute) => `| \`${attribute}\` | ${useOf(attribute)} |`),
  ...Object.entries(unread).map(([attribute, why]) => `| \`${attribute}\` | not read: ${why} |`),
].join("\n")}
`;
