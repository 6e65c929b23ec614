/** Returns when a reply's `Retry-After`, in seconds or as a date, has passed, Unix ms; `undefined` without a usable one. */
export function retryAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Date.now() + Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}
