/** Several times as many as any page or operation has: Next reads each address several times, in time that grows with them. */
export const QUERY_PARAMETERS_MAX = 200;

/** Returns whether an address has more query parameters than any operation reads. */
export function hasTooManyParameters(url: string): boolean {
  let count = 1;
  for (let at = url.indexOf("&"); at !== -1; at = url.indexOf("&", at + 1)) count++;
  return count > QUERY_PARAMETERS_MAX;
}
