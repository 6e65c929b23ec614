/** Thrown for a request that cannot be translated, with the field that is to blame. The caller gets a 400. */
export class Unsupported extends Error {
  override name = "Unsupported";

  constructor(
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}
