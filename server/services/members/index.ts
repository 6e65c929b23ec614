import "server-only";

export { acceptInvitation, findInvitation, invitationFor, joinByInvitation } from "./accept-invitation";
export { changeRole } from "./change-role";
export { joinDefaultProjects } from "./default-projects";
export { inviteMember, listInvitations, revokeInvitation } from "./invitations";
export { leaveProject } from "./leave-project";
export { listMembers } from "./list-members";
export { MEMBER_NAME, memberNames, namedActors } from "./member-names";
export { lockMembers, revokeAllLinksOf, setRole } from "./owners";
export { removeMember } from "./remove-member";
export { joinInput, tokenInput } from "./schemas";
export { transferOwnership } from "./transfer-ownership";
