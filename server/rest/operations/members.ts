import { createPasswordReset } from "@/server/services/identity";
import {
  changeRole,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  transferOwnership,
} from "@/server/services/members";
import { about, get, patch, post, project, remove } from "./line";

export const MEMBERS = about("Members", [
  get(`${project}/members`, listMembers),
  patch(`${project}/members/:userId`, changeRole),
  remove(`${project}/members/:userId`, removeMember),
  post(`${project}/members/:userId/password-resets`, createPasswordReset, 201),
  post(`${project}/members/:userId/ownership`, transferOwnership),
  get(`${project}/invitations`, listInvitations),
  post(`${project}/invitations`, inviteMember, 201),
  remove(`${project}/invitations/:invitationId`, revokeInvitation),
]);
