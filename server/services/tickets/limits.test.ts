import { expect, test } from "vitest";
import { lineMark } from "./render-task";
import { limitExceeded } from "./render-ticket";
import { SAMPLE } from "./sample";
import { renderTemplates, type Templates } from "./templates";

const OURS: Templates = { titleTemplate: null, bodyTemplate: null };
/** As when a template is saved, but in this process. */
const render = async (templates: Templates) => renderTemplates(templates, SAMPLE);
const refused = (path: string, message: string) => ({ code: "unprocessable", errors: [{ path, message }] });
test.each([
  ["Title:\n\n{{ finding.title | nope }}", "The template is not valid: undefined filter: nope (line 3, column 1)"],
  ["One\n{% if finding %}\n", "The template is not valid: tag {% if finding %} not closed (line 2, column 1)"],
  [
    `{% assign all = "0123456789" %}\n{% for n in (1..20) %}\n{% assign all = all | append: all %}\n{% endfor %}`,
    "The template cannot be rendered: line 3 makes more than 1,000,000 characters and elements of lists.",
  ],
  [
    "\n\n{% for a in (1..3000) %}{% for b in (1..3000) %}{% assign c = b %}{% endfor %}{% endfor %}",
    "The template cannot be rendered: line 3 takes longer than 1 s.",
  ],
])("what is wrong with a template is said with its line: %s", async (template, message) => {
  for (const field of ["titleTemplate", "bodyTemplate"] as const)
    await expect(render({ ...OURS, [field]: template })).rejects.toMatchObject(refused(`/${field}`, message));
});

test("templates that can be rendered are accepted", async () => {
  await render(OURS);
  const bodyTemplate = "{% for one in occurrences %}{{ one.summary }}: {{ one.quotes | join: ' ' }}{% endfor %}";
  await render({ titleTemplate: "{{ project.name }}: {{ finding.title | truncate: 40 }}", bodyTemplate });
});

test("a template whose process was ended is refused with the line that the process noted last", () => {
  const said = `${lineMark("titleTemplate", 1)}${lineMark("bodyTemplate", 3)}\n<--- Last few GCs --->\n`;
  const { code, errors } = limitExceeded("needs more than 64 MiB of memory", said);
  expect({ code, errors }).toEqual(
    refused("/bodyTemplate", "The template cannot be rendered: line 3 needs more than 64 MiB of memory."),
  );
  expect(limitExceeded("took longer than 2 s", "").errors).toMatchObject([
    { message: "The template cannot be rendered: it took longer than 2 s." },
  ]);
});

test("each part of a template reports its line before it is rendered, also within loops and captures", () => {
  const lines: string[] = [];
  const bodyTemplate = "{% capture x %}\n{{ finding.id }}{% endcapture %}\n{% for n in (1..2) %}\n{{ n }}{% endfor %}";
  renderTemplates({ titleTemplate: "{{ finding.title }}", bodyTemplate }, SAMPLE, (field, line) =>
    lines.push(`${field} ${line}`),
  );
  expect(new Set(lines)).toEqual(new Set(["titleTemplate 1", ...[1, 2, 3, 4].map((line) => `bodyTemplate ${line}`)]));
});
