import "server-only";

export { changeRights } from "./change-rights";
export { disablePerson, enablePerson } from "./disable-person";
export { erasePerson } from "./erase-person";
export { handOverProject } from "./hand-over";
export { getPerson, listPeople } from "./list-people";
