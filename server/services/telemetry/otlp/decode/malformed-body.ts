/** The body as a whole cannot be read as an OTLP request: nothing of it is kept. The message is for the client. */
export class MalformedBody extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MalformedBody";
  }
}
