import { PROBLEMS } from "@/server/rest/http/problem";
import type { OpenApiDocument } from "@/server/rest/openapi";
import { fieldsOf } from "../_lib/fields";
import { CodeBlock } from "./code-block";
import { FieldTable } from "./field-table";

const EXAMPLE = {
  type: "/docs#problem-invalid",
  title: PROBLEMS.invalid.title,
  status: 400,
  detail: "The request is not valid.",
  instance: "/v1/projects/prj_0199/diagnostics/findings",
  code: "invalid",
  requestId: "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
  errors: [{ path: "/limit", message: "Too big: expected number to be <=500" }],
};

/** The format of errors, with an anchor for each kind, which problems link to. */
export function ProblemSection({ document }: { document: OpenApiDocument }) {
  const kinds = [
    ...Object.entries(PROBLEMS),
    ["internal", { status: 500, title: "Something went wrong on our side" }] as const,
  ];
  return (
    <section aria-labelledby="problems">
      <h2 id="problems">Errors</h2>
      <p>
        Errors are <code>application/problem+json</code> (RFC 9457). Programs should check <code>code</code>;{" "}
        <code>detail</code> is written for people; <code>requestId</code> identifies the request in the server log.
      </p>
      <dl>
        {kinds.map(([code, { status, title }]) => (
          <div key={code} id={`problem-${code}`}>
            <dt>
              <code>{code}</code> {status}
            </dt>
            <dd>{title}.</dd>
          </div>
        ))}
      </dl>
      <FieldTable caption="An error" fields={fieldsOf(document.components.schemas.Problem ?? {})} />
      <CodeBlock label="An error" text={JSON.stringify(EXAMPLE, null, 2)} />
    </section>
  );
}
