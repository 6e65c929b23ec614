import { expect, test } from "vitest";
import { renderTemplates } from "./templates";
import { ticketFacts } from "./testing";

const FACTS = ticketFacts(
  {},
  { conversation: "c-1", url: "https://whetstone.example/c-1", summary: "It failed.", quotes: ["`no`"] },
);
const OURS = { titleTemplate: null, bodyTemplate: null };

test("without templates, a ticket has the Finding's title, counts, evidence and links", () => {
  const { title, body } = renderTemplates(OURS, FACTS);
  expect(title).toBe("search_emails fails");
  for (const part of [
    "| Conversations | 12 |",
    "| Users | 3 |",
    "`no`",
    "https://whetstone.example/c-1",
    "findings/fnd_1",
  ])
    expect(body).toContain(part);
  expect(body).not.toContain("Cost");
});

test("templates can use facts of the Finding, its occurrences and the project", () => {
  const { title, body } = renderTemplates(
    {
      titleTemplate: "[{{ project.name }}]\n{{ finding.title | upcase }}",
      bodyTemplate: "{% for one in occurrences %}{{ one.conversation }}: {{ one.summary }}{% endfor %}",
    },
    FACTS,
  );
  expect({ title, body }).toEqual({ title: "[Shop] SEARCH_EMAILS FAILS", body: "c-1: It failed." });
});

test("an empty title falls back to the Finding's, and a long title or body is truncated", () => {
  expect(renderTemplates({ ...OURS, titleTemplate: "{{ finding.nothing }}" }, FACTS).title).toBe("search_emails fails");
  const long = renderTemplates({ titleTemplate: "t".repeat(400), bodyTemplate: "b".repeat(40_000) }, FACTS);
  expect([long.title.length, long.body.length]).toEqual([250, 30_000]);
});

test.each([
  ["a tag that does not end", "{{ finding.title "],
  ["a file", "{% include 'etc/passwd' %}"],
  ["work without an end", "{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}"],
])("%s in a template is rejected with the path of its field", (_, template) => {
  for (const field of ["titleTemplate", "bodyTemplate"] as const) {
    let refused: unknown;
    try {
      renderTemplates({ ...OURS, [field]: template }, FACTS);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({
      code: "unprocessable",
      errors: [
        {
          path: `/${field}`,
          message: expect.stringMatching(/^The template (is not valid: |cannot be rendered: line 1 )./),
        },
      ],
    });
  }
});

test("a template cannot read prototypes", () => {
  expect(
    renderTemplates({ ...OURS, bodyTemplate: "{{ finding.constructor }}{{ finding.__proto__ }}." }, FACTS).body,
  ).toBe(".");
});

test.each(["where", "reject", "group_by", "has", "find", "find_index"])(
  "a template cannot evaluate an expression for each item: %s_exp",
  (filter) => {
    const template = `{% assign all = "a,b" | split: "," | ${filter}_exp: "one", "one contains 'a'" %}{{ all }}`;
    expect(() => renderTemplates({ ...OURS, bodyTemplate: template }, FACTS)).toThrow(/The template is not valid/);
  },
);
