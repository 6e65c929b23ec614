/** The body as a whole is not a readable OTLP request: none of it is stored. The message is for the client. */
export class MalformedBody extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MalformedBody";
  }
}
