import type { ReasonCode } from "../types";
import { bandsOf, similarity } from "./min-hash";

/** What selection needs of a proposal. `key` is its provenance key. */
export type Offered = {
  key: string;
  reasonCode: ReasonCode;
  userId: string | null;
  findingId: string | null;
  signature: readonly number[];
};

/** The maximum number of Examples in one Dataset that come from one user, or from one Finding. `null`: no limit. */
export type Caps = { perUser: number | null; perFinding: number | null };

/** What the Dataset has already collected, whatever was decided about it. */
export type Collected = {
  keys: ReadonlySet<string>;
  /** Potential near-duplicates: those that share a band with an offered one. */
  signatures: readonly (readonly number[])[];
  byUser: ReadonlyMap<string, number>;
  byFinding: ReadonlyMap<string, number>;
};

export type SelectionCode = "already_collected" | "near_duplicate" | "user_cap" | "finding_cap";
type Selection<One> = { selected: One[]; left: Partial<Record<SelectionCode, number>> };

/** With this share of common words or more, two Examples teach the same thing. */
const ALIKE = 0.7;

/** Most certain first: of near-duplicates, the most certain one is kept. */
const CERTAINTY: readonly ReasonCode[] = [
  "corrected_by_feedback",
  "thumbs_up",
  "high_score",
  "user_correction_accepted",
  "accepted_by_user",
  "recovered_answer",
  "recovered_call",
  "knowledge_goal",
  "user_correction_unopposed",
  "proposed_by_model",
];

/**
 * Selects what to collect: removes near-duplicates and applies the caps. The result does not depend on the order of `offered`.
 */
export function selectProposals<One extends Offered>(
  offered: readonly One[],
  caps: Caps,
  collected: Collected,
): Selection<One> {
  const selected: One[] = [];
  const left: Selection<One>["left"] = {};
  const keys = new Set(collected.keys);
  const byUser = new Counter(collected.byUser, caps.perUser);
  const byFinding = new Counter(collected.byFinding, caps.perFinding);
  const known = new Alike(collected.signatures);
  const refusals: readonly [SelectionCode, (one: One) => boolean][] = [
    ["already_collected", ({ key }) => keys.has(key)],
    ["near_duplicate", ({ signature }) => known.has(signature)],
    ["user_cap", ({ userId }) => byUser.isFull(userId)],
    ["finding_cap", ({ findingId }) => byFinding.isFull(findingId)],
  ];
  for (const one of offered.toSorted(byCertainty)) {
    const refusal = refusals.find(([, refuses]) => refuses(one));
    if (refusal) left[refusal[0]] = (left[refusal[0]] ?? 0) + 1;
    else {
      selected.push(one);
      keys.add(one.key);
      known.add(one.signature);
      byUser.add(one.userId);
      byFinding.add(one.findingId);
    }
  }
  return { selected, left };
}

const byCertainty = (a: Offered, b: Offered) =>
  CERTAINTY.indexOf(a.reasonCode) - CERTAINTY.indexOf(b.reasonCode) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

class Counter {
  readonly #counts: Map<string, number>;

  constructor(
    counts: ReadonlyMap<string, number>,
    private readonly max: number | null,
  ) {
    this.#counts = new Map(counts);
  }

  isFull(id: string | null): boolean {
    return id !== null && this.max !== null && (this.#counts.get(id) ?? 0) >= this.max;
  }

  add(id: string | null): void {
    if (id !== null) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }
}

/** Signatures indexed by band. */
class Alike {
  readonly #byBand = new Map<string, (readonly number[])[]>();

  constructor(signatures: readonly (readonly number[])[]) {
    for (const signature of signatures) this.add(signature);
  }

  add(signature: readonly number[]): void {
    for (const band of bandsOf(signature)) {
      const known = this.#byBand.get(band);
      if (known) known.push(signature);
      else this.#byBand.set(band, [signature]);
    }
  }

  has(signature: readonly number[]): boolean {
    return bandsOf(signature).some((band) =>
      (this.#byBand.get(band) ?? []).some((known) => similarity(known, signature) >= ALIKE),
    );
  }
}
