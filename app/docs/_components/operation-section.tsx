import { anchorOf, type Listed } from "../_lib/by-area";
import { curlOf } from "../_lib/curl";
import { bodyFields, contentOf, fieldsOf, typeOf } from "../_lib/fields";
import { CodeBlock } from "./code-block";
import { FieldTable } from "./field-table";
import { Words } from "./words";

/** One operation: its purpose, capability, input, output, and a command to try it. */
export function OperationSection({ method, path, operation }: Listed) {
  const id = anchorOf(operation);
  const [status, reply] = Object.entries(operation.responses).find(([code]) => code.startsWith("2")) ?? [];
  const answer = contentOf(reply);
  const problems = Object.keys(operation.responses).filter((code) => !code.startsWith("2"));
  return (
    <article className="docs-operation" aria-labelledby={id}>
      <h2 id={id}>
        <a href={`#${id}`}>
          <span className={`docs-method docs-${method}`}>{method}</span> <code>{path}</code>
        </a>
      </h2>
      <p>
        <Words text={operation.summary} />
      </p>
      <p>
        <Words text={operation.description} />
      </p>
      <p className="docs-quiet">
        {operation["x-capability"] ? (
          <>
            Requires{" "}
            {operation["x-capability"].map((capability, at) => (
              <span key={capability}>
                {at > 0 ? " or " : ""}
                <code>{capability}</code>
              </span>
            ))}
            {operation["x-capability-besides"] ? (
              <>
                {" and "}
                <code>{operation["x-capability-besides"]}</code>
              </>
            ) : null}
            .{" "}
            {operation.security.length > 1
              ? "With an API key or a session."
              : "With an API key only: the key determines the project."}
          </>
        ) : (
          "No authentication required."
        )}
      </p>
      <FieldTable
        caption="Parameters"
        showRequired
        fields={operation.parameters.map(({ name, schema, required, description = "" }) => ({
          path: name,
          type: typeOf(schema),
          required,
          words: [description, schema.default === undefined ? "" : `Default: ${JSON.stringify(schema.default)}.`]
            .join(" ")
            .trim(),
        }))}
      />
      <FieldTable caption="Body" showRequired fields={bodyFields(operation)} />
      <CodeBlock label={`Example: ${operation.summary}`} text={curlOf({ method, path, operation })} />
      {answer ? (
        <details>
          <summary>
            Response: <code>{status}</code>
          </summary>
          <FieldTable caption={`Response ${status}`} fields={fieldsOf(answer.schema)} />
          <CodeBlock label={`Example response: ${operation.summary}`} text={JSON.stringify(answer.example, null, 2)} />
        </details>
      ) : null}
      <p className="docs-quiet">
        Errors: {problems.join(", ")} (<a href="/docs#problems">error format</a>).
      </p>
    </article>
  );
}
