import type { Field } from "../_lib/fields";
import { Words } from "./words";

/** Names, types and descriptions. Scrolls on its own on narrow pages. */
export function FieldTable({
  caption,
  fields,
  showRequired = false,
}: {
  caption: string;
  fields: Field[];
  showRequired?: boolean;
}) {
  if (fields.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls; this only names a scroll area.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard.
    <div className="docs-scroll" role="group" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, type, required, words }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
                {showRequired && required ? <span className="docs-required"> required</span> : null}
              </th>
              <td>{type}</td>
              <td>
                <Words text={words} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
