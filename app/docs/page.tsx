import type { Metadata } from "next";
import { type OpenApiDocument, openApiOf } from "@/server/rest/openapi";
import { OPERATIONS } from "@/server/rest/operations";
import { OperationSection } from "./_components/operation-section";
import { ProblemSection } from "./_components/problem-section";
import { Words } from "./_components/words";
import { anchorOf, operationsBySubject, subjectAnchor } from "./_lib/by-subject";
import "./docs.css";

export const metadata: Metadata = { title: "API reference", description: "Every /v1 route." };

let made: OpenApiDocument | undefined;

/** The reference, rendered from the document that `/v1/openapi.json` serves. Works without scripts. */
export default function DocsPage() {
  made ??= openApiOf(OPERATIONS);
  const subjects = operationsBySubject(made);
  return (
    <div className="docs">
      <nav className="docs-nav" aria-label="Reference">
        <a className="docs-home" href="/">
          Whetstone
        </a>
        {subjects.map(({ subject, operations }) => (
          <div key={subject}>
            <a href={`#${subjectAnchor(subject)}`}>{subject}</a>
            <ul>
              {operations.map(({ method, path, operation }) => (
                <li key={operation.operationId}>
                  <a href={`#${anchorOf(operation)}`}>
                    <span className={`docs-method docs-${method}`}>{method}</span> {path.split("/").slice(-2).join("/")}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <a href="#problems">Errors</a>
      </nav>
      <main className="docs-main">
        <h1>API reference</h1>
        {made.info.description.split("\n\n").map((paragraph) => (
          <p key={paragraph}>
            <Words text={paragraph} />
          </p>
        ))}
        <p>
          Paths are relative to <code>/v1</code>. Programs send <code>Authorization: Bearer whet_…</code>; signed-in
          members can use their session on routes with a project in the path. For tools, there is{" "}
          <a href="/v1/openapi.json">/v1/openapi.json</a> (OpenAPI 3.1).
        </p>
        {subjects.map(({ subject, operations }) => (
          <section key={subject} aria-labelledby={subjectAnchor(subject)}>
            <h2 id={subjectAnchor(subject)}>{subject}</h2>
            {operations.map((one) => (
              <OperationSection key={one.operation.operationId} {...one} />
            ))}
          </section>
        ))}
        <ProblemSection document={made} />
      </main>
    </div>
  );
}
