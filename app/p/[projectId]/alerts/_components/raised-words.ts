/** Returns why a change fires later than asked. */
export const raisedWords = (factor: number) =>
  `Fires at ${factor.toLocaleString("en-US", { maximumFractionDigits: 1 })} times the increase asked for, which came up more than once in the last 4 weeks.`;
