import { trainerDoor } from "@/server/rest/trainer-door";

export const dynamic = "force-dynamic";

export const GET = trainerDoor;
export const POST = trainerDoor;
