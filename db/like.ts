/** Returns the `like` or `ilike` pattern that matches strings containing `text`, with special characters escaped. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
