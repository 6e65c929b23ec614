import type { DescribedOperation, OpenApiDocument } from "@/server/rest/openapi";

export type Listed = { method: string; path: string; operation: DescribedOperation };
/** The operations under one heading, which have a page of their own. */
export type Area = { name: string; slug: string; operations: Listed[] };

const slugOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

export const areaHref = (slug: string) => `/docs/${slug}`;
/** Returns the anchor of an operation: its id, which is stable when words and paths change. */
export const anchorOf = (operation: DescribedOperation) => operation.operationId;

/** Returns the document's operations grouped by tag, in its order. */
export const areasOf = (document: OpenApiDocument): Area[] =>
  document.tags.map(({ name }) => ({
    name,
    slug: slugOf(name),
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(name))
        .map(([method, operation]): Listed => ({ method, path, operation })),
    ),
  }));
