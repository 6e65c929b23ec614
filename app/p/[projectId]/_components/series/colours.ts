const COLOURS = 10;

/** Returns a colour number per key: mostly independent of what else is shown, and distinct for up to ten keys. */
export function coloursOf(keys: readonly (string | null)[]): number[] {
  const taken = new Set<number>();
  return keys.map((key) => {
    let colour = hash(key ?? "") % COLOURS;
    for (let tries = 1; tries < COLOURS && taken.has(colour); tries++) colour = (colour + 1) % COLOURS;
    taken.add(colour);
    return colour;
  });
}

/** Returns the colour of a number, or of the series that sums the others, under an element with the class `colours`. */
export const colourOf = (colour: number | "others") => `var(--series-${colour})`;

/** FNV-1a. */
function hash(text: string) {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
