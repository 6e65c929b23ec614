import {
  changeRights,
  disablePerson,
  enablePerson,
  erasePerson,
  getPerson,
  handOverProject,
  listPeople,
} from "@/server/services/people";
import { accountMutation, accountQuery } from "../procedures";
import { router } from "../trpc";

/** For owners of the installation. */
export const peopleRouter = router({
  list: accountQuery(listPeople),
  get: accountQuery(getPerson),
  disable: accountMutation(disablePerson),
  enable: accountMutation(enablePerson),
  changeRights: accountMutation(changeRights),
  erase: accountMutation(erasePerson),
  handOver: accountMutation(handOverProject),
});
