import type { Metadata } from "next";
import { OperationIndex } from "./_components/operation-index";
import { ProblemSection } from "./_components/problem-section";
import { ReferencePage } from "./_components/reference-page";
import { Words } from "./_components/words";
import { anchorOf, areasOf, type Listed } from "./_lib/by-area";
import { bodyFields } from "./_lib/fields";
import { reference } from "./_lib/reference";
import type { Found } from "./_lib/search";

export const metadata: Metadata = { title: "API reference", description: "Every /v1 route." };

const found = ({ method, path, operation }: Listed): Found => ({
  id: anchorOf(operation),
  method,
  path,
  summary: operation.summary,
  words: [...operation.parameters, ...bodyFields(operation).map(({ path: name }) => ({ name }))]
    .map(({ name }) => name)
    .join(" "),
});

/** The overview of the reference: every operation with a link to its page, and the format of errors. Works without scripts. */
export default function DocsPage() {
  const document = reference();
  const areas = areasOf(document);
  return (
    <ReferencePage areas={areas}>
      <h1>API reference</h1>
      <OperationIndex
        areas={areas.map(({ name, slug, operations }) => ({ name, slug, operations: operations.map(found) }))}
      >
        {document.info.description.split("\n\n").map((paragraph) => (
          <p key={paragraph}>
            <Words text={paragraph} />
          </p>
        ))}
        <p>
          Paths are relative to <code>/v1</code>. Programs send <code>Authorization: Bearer whet_…</code>; signed-in
          members can use their session on routes with a project in the path. For tools, there is{" "}
          <a href="/v1/openapi.json">/v1/openapi.json</a> (OpenAPI 3.1), and for programs in TypeScript and Python{" "}
          <a href="/docs/clients">clients</a>.
        </p>
      </OperationIndex>
      <ProblemSection document={document} />
    </ReferencePage>
  );
}
