// Turns tokens into text as they arrive: only whole characters, and no part of a stop string.

const INCOMPLETE = "\ufffd";

/** Collects an answer's tokens and returns its text as it becomes certain. */
export class AnswerText {
  stopped = false;
  #detokenize;
  #stops;
  #tokens = [];
  #from = 0;
  #done = 0;
  #held = "";

  constructor(detokenize, stops) {
    this.#detokenize = detokenize;
    this.#stops = stops;
  }

  push(token) {
    this.#tokens.push(token);
    const text = this.#pending();
    if (text.endsWith(INCOMPLETE)) return "";
    this.#from = this.#done;
    this.#done = this.#tokens.length;
    return this.#beforeStop(text);
  }

  rest() {
    const text = this.stopped ? "" : this.#beforeStop(this.#pending()) + this.#held;
    this.#held = "";
    return text;
  }

  #pending() {
    const before = this.#detokenize(this.#tokens.slice(this.#from, this.#done));
    return this.#detokenize(this.#tokens.slice(this.#from)).slice(before.length);
  }

  #beforeStop(text) {
    this.#held += text;
    const places = this.#stops.map((stop) => this.#held.indexOf(stop)).filter((place) => place >= 0);
    if (places.length > 0) {
      this.stopped = true;
      const before = this.#held.slice(0, Math.min(...places));
      this.#held = "";
      return before;
    }
    const keep = Math.max(0, ...this.#stops.map((stop) => overlap(this.#held, stop)));
    const certain = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(certain.length);
    return certain;
  }
}

function overlap(text, stop) {
  for (let length = Math.min(stop.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(stop.slice(0, length))) return length;
  return 0;
}
