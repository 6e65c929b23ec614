const DOORS: Record<string, string> = {
  rest: "REST interface",
  trpc: "Workbench",
  page: "Workbench",
  cli: "Command line",
  job: "Background job",
};

/** By which door somebody came. */
export const doorWords = (door: string | null) => (door === null ? "—" : (DOORS[door] ?? door));

const spaced = (name: string) =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/^api\b/, "API");

/** The name of an operation as people read it: `apiKeys.create` → "API keys: create". */
export function actionWords(action: string) {
  const [subject = "", ...what] = action.split(".").map(spaced);
  const name = subject.charAt(0).toUpperCase() + subject.slice(1);
  return what.length === 0 ? name : `${name}: ${what.join(" ")}`;
}
