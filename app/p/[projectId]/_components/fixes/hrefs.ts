import { pageHref } from "../shell/pages";

export const fixHref = (projectId: string, fixId: string) =>
  `${pageHref(projectId, "fixes")}/${encodeURIComponent(fixId)}`;
