/** Returns the 95 % Wilson interval of a share, as fractions; `null` if nothing was counted. */
export function wilson(affected: number, total: number): { low: number; high: number } | null {
  if (total <= 0) return null;
  const Z = 1.96;
  const share = Math.min(1, affected / total);
  const spread = Z * Math.sqrt((share * (1 - share)) / total + (Z * Z) / (4 * total * total));
  const scale = 1 + (Z * Z) / total;
  const centre = share + (Z * Z) / (2 * total);
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}
