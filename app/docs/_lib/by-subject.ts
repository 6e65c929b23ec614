import type { DescribedOperation, OpenApiDocument } from "@/server/rest/openapi";

export type Listed = { method: string; path: string; operation: DescribedOperation };

const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** Returns the anchor of a subject's heading. */
export const subjectAnchor = (subject: string) => `subject-${slug(subject)}`;
/** Returns the anchor of an operation: its id, which is stable when words and paths change. */
export const anchorOf = (operation: DescribedOperation) => operation.operationId;

/** Returns the document's operations grouped by tag, in its order. */
export const operationsBySubject = (document: OpenApiDocument) =>
  document.tags.map(({ name }) => ({
    subject: name,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(name))
        .map(([method, operation]): Listed => ({ method, path, operation })),
    ),
  }));
