/** An e-mail's words, in both forms. */
export type EmailContent = { subject: string; text: string; html: string };

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** What people typed (a name, a project's name) stays on its line and within its quotation marks. */
const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Plain paragraphs around one link, which is shown as it is: whoever reads it sees where it leads. */
export function composeEmail(said: {
  subject: string;
  before: readonly string[];
  link: string;
  after: readonly string[];
}): EmailContent {
  const { link } = said;
  const [before, after] = [said.before.map(onOneLine), said.after.map(onOneLine)];
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escaped(text)}</p>`);
  return {
    subject: onOneLine(said.subject),
    text: `${[...before, link, ...after].join("\n\n")}\n`,
    html: [...paragraphs(before), `<p><a href="${escaped(link)}">${escaped(link)}</a></p>`, ...paragraphs(after)].join(
      "\n",
    ),
  };
}

/** A day as people write it: `27 November 2026`. */
export const dayOf = (at: number) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(at);
