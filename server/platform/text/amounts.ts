/** `1 message`, `1,204 messages`: a number with the noun that it counts, whose plural ends in `s`. */
export const count = (n: number, what: string) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

/** `12.5 %` of a share from 0 to 1. */
export const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
