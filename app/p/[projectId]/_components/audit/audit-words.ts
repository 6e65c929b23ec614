const DOORS: Record<string, string> = {
  rest: "REST API",
  trpc: "Workbench",
  page: "Workbench",
  cli: "Command line",
  job: "Background job",
};

/** The door through which somebody acted. */
export const doorWords = (door: string | null) => (door === null ? "—" : (DOORS[door] ?? door));

const spaced = (name: string) =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/^api\b/, "API");

/** Returns an operation's readable name: `apiKeys.create` → "API keys: create". */
export function actionWords(action: string) {
  const [subject = "", ...what] = action.split(".").map(spaced);
  const name = subject.charAt(0).toUpperCase() + subject.slice(1);
  return what.length === 0 ? name : `${name}: ${what.join(" ")}`;
}
