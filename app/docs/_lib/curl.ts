import type { Listed } from "./by-area";

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a command to paste; project and key are shell variables. */
export function curlOf({ method, path, operation }: Listed) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "projectId") return "$PROJECT_ID";
    const example = operation.parameters.find((parameter) => parameter.name === name)?.example;
    return encodeURIComponent(String(example ?? name));
  });
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? ""))}`)
    .join("&");
  const lines = [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"$WHETSTONE/v1${filled}${query && `?${query}`}"`,
  ];
  if (operation.security.length) lines.push(`  -H "Authorization: Bearer $WHETSTONE_KEY"`);
  const content = Object.entries(operation.requestBody?.content ?? {});
  const json = content.find(([type]) => type === "application/json");
  if (json && json[1].example !== undefined) {
    lines.push(`  -H "Content-Type: application/json"`, `  -d ${quoted(JSON.stringify(json[1].example))}`);
  } else if (content[0]) {
    lines.push(`  -H "Content-Type: ${content[0][0]}"`, "  --data-binary @batch");
  }
  return lines.join(" \\\n");
}
