import { pageHref } from "../shell/pages";

export const variantHref = (projectId: string, variantId: string) =>
  `${pageHref(projectId, "variants")}/${encodeURIComponent(variantId)}`;

/** Where a new variant starts: with a Finding's answers, an answer of a conversation, another version, or a stored draft. */
type From = { finding?: string; conversation?: string; message?: string; from?: string; draft?: "stored" };
export const newVariantHref = (projectId: string, from: From = {}) => {
  const query = new URLSearchParams(from).toString();
  return `${pageHref(projectId, "variants")}/new${query === "" ? "" : `?${query}`}`;
};
