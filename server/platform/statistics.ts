/** Quantiles of the normal distribution: of two-sided 95 % limits, and of a one-sided 95 % limit. */
export const Z_TWO_SIDED = 1.959963984540054;
export const Z_ONE_SIDED = 1.6448536269514722;
