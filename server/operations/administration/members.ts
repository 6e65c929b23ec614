import { createPasswordReset } from "@/server/services/identity";
import {
  acceptInvitation,
  changeRole,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  transferOwnership,
} from "@/server/services/members";
import { get, page, patch, post, project, remove, under } from "../row";

export const MEMBERS = {
  members: under("Members", {
    list: get(`${project}/members`, listMembers),
    changeRole: patch(`${project}/members/:userId`, changeRole),
    remove: remove(`${project}/members/:userId`, removeMember),
    createPasswordReset: post(`${project}/members/:userId/password-resets`, createPasswordReset, 201),
    transferOwnership: post(`${project}/members/:userId/ownership`, transferOwnership),
    listInvitations: get(`${project}/invitations`, listInvitations),
    invite: post(`${project}/invitations`, inviteMember, 201),
    revokeInvitation: remove(`${project}/invitations/:invitationId`, revokeInvitation),
  }),
  invitations: {
    accept: page(acceptInvitation),
  },
};
