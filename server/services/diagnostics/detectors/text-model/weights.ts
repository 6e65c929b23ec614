/** Values of a byte: gaps of 255 or more take several. */
const FULL = 255;

/** Packs sparse weights into base64: for each non-zero one, its distance from the previous one and its value. */
export function packWeights(weights: Int8Array): string {
  const bytes: number[] = [];
  let last = -1;
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue;
    let gap = index - last - 1;
    for (; gap >= FULL; gap -= FULL) bytes.push(FULL);
    bytes.push(gap, weight & FULL);
    last = index;
  }
  return Buffer.from(bytes).toString("base64");
}

export function unpackWeights(packed: string, size: number): Int8Array {
  const weights = new Int8Array(size);
  const bytes = Buffer.from(packed, "base64");
  let index = -1;
  for (let at = 0; at < bytes.length; ) {
    for (; bytes[at] === FULL; at++) index += FULL;
    index += bytes[at]! + 1;
    weights[index] = bytes[at + 1]!;
    at += 2;
  }
  return weights;
}
