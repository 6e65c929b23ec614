import "server-only";

export { createShareLink } from "./create-share-link";
export { deleteExpiredCopies } from "./delete-expired-copies";
export { listShareLinks } from "./list-share-links";
export { openShareLink, type Shared } from "./open-share-link";
export { revokeShareLink } from "./revoke-share-link";
export { getShareLinkSettings, updateShareLinkSettings } from "./settings";
