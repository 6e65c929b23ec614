type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Returns the address of an operation of `/v1` that downloads a file: `path` is below the project, a list is a repeated parameter. */
export function downloadHref(projectId: string, path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  const search = new URLSearchParams(given).toString();
  return `/v1/projects/${encodeURIComponent(projectId)}/${path}${search ? `?${search}` : ""}`;
}
