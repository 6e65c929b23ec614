/** Places in a batch; with more items, the last ones share one. */
const PLACES = 65_536;

/** Returns the place that is stored for an item at this index of its batch. */
export const placeOf = (index: number): number => Math.min(index, PLACES - 1);

/** Returns a number that is greater for what arrived later. */
export const arrivalOf = ({ batch, place }: { batch: string; place: number }): number => Number(batch) * PLACES + place;
