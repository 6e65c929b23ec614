/** One check of a deployment reported as running: whether it answered, and whether every process it needs was up. */
export type Look = { id: string; at: number; hasAnswered: boolean; isAllThere: boolean };

type Silence = { id: string; ms: number };

/**
 * Measures how long a deployment is reported as running while it does not answer. A check while the app or the trainer is down
 * does not count, because the status cannot change then.
 */
export class Silences {
  readonly #since = new Map<string, number>();
  readonly ended: Silence[] = [];

  /** Records the checks of all deployments reported as running. Ends the silence of one that is no longer reported so. */
  look(at: number, looks: readonly Look[]): void {
    const silent = new Set(looks.filter((one) => !one.hasAnswered && one.isAllThere).map(({ id }) => id));
    for (const [id, since] of this.#since) {
      if (silent.has(id)) continue;
      this.ended.push({ id, ms: at - since });
      this.#since.delete(id);
    }
    for (const one of looks) if (silent.has(one.id) && !this.#since.has(one.id)) this.#since.set(one.id, one.at);
  }

  /** Returns the silences that have ended, and those in progress with their length so far. */
  all(at: number): Silence[] {
    return [...this.ended, ...[...this.#since].map(([id, since]) => ({ id, ms: at - since }))];
  }
}
