/** Thrown by the reader of a value if the parser has changed a whole number. */
export class InexactNumber extends Error {
  override name = "InexactNumber";
}
