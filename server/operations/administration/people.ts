import {
  changeRights,
  disablePerson,
  enablePerson,
  erasePerson,
  getPerson,
  handOverProject,
  listPeople,
} from "@/server/services/people";
import { page } from "../row";

export const PEOPLE = {
  people: {
    list: page(listPeople),
    get: page(getPerson),
    disable: page(disablePerson),
    enable: page(enablePerson),
    changeRights: page(changeRights),
    erase: page(erasePerson),
    handOver: page(handOverProject),
  },
};
