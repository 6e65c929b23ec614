import { type OpenApiDocument, openApiOf } from "@/server/rest/openapi";
import { OPERATIONS } from "@/server/rest/operations";

let made: OpenApiDocument | undefined;

/** Returns the document that `/v1/openapi.json` serves, composed once. */
export function reference(): OpenApiDocument {
  made ??= openApiOf(OPERATIONS);
  return made;
}
