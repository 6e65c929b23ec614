/** One look at a deployment that is said to run: whether it answered, and whether everything that answers for it was there. */
export type Look = { id: string; at: number; hasAnswered: boolean; isAllThere: boolean };

type Silence = { id: string; ms: number };

/**
 * Measures how long a deployment is said to run while it does not answer. A look at which the app or the trainer is away does not
 * count: neither could say anything else.
 */
export class Silences {
  readonly #since = new Map<string, number>();
  readonly ended: Silence[] = [];

  /** Takes the looks at all deployments that are said to run. The silence of one that is no longer said to run has ended. */
  look(at: number, looks: readonly Look[]): void {
    const silent = new Set(looks.filter((one) => !one.hasAnswered && one.isAllThere).map(({ id }) => id));
    for (const [id, since] of this.#since) {
      if (silent.has(id)) continue;
      this.ended.push({ id, ms: at - since });
      this.#since.delete(id);
    }
    for (const one of looks) if (silent.has(one.id) && !this.#since.has(one.id)) this.#since.set(one.id, one.at);
  }

  /** Returns the silences that have ended, and how long those have lasted that have not. */
  all(at: number): Silence[] {
    return [...this.ended, ...[...this.#since].map(([id, since]) => ({ id, ms: at - since }))];
  }
}
