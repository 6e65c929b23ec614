import {
  createShareLink,
  getShareLinkSettings,
  listShareLinks,
  revokeShareLink,
  updateShareLinkSettings,
} from "@/server/services/sharing";
import { get, patch, post, project, remove, under } from "./row";

export const SHARING = {
  shareLinks: under("Share links", {
    list: get(`${project}/share-links`, listShareLinks),
    create: post(`${project}/share-links`, createShareLink, 201),
    revoke: remove(`${project}/share-links/:shareLinkId`, revokeShareLink),
    getSettings: get(`${project}/share-link-settings`, getShareLinkSettings),
    updateSettings: patch(`${project}/share-link-settings`, updateShareLinkSettings),
  }),
};
