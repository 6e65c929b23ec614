const names = new Intl.DisplayNames(["en"], { type: "language" });

/** Returns the English name of a language by its ISO 639-1 code; any other text as it is. */
export const languageName = (code: string): string => (/^[a-z]{2}$/.test(code) && names.of(code)) || code;
