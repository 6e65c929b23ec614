import { expect, test } from "vitest";
import { networkOf } from "./network";

test("an IPv4 address is a network of its own, of an IPv6 address it is the /64, however it is written", () => {
  expect(networkOf("192.0.2.1")).toBe("192.0.2.1");
  expect(networkOf("unknown")).toBe("unknown");
  for (const address of ["2001:db8::1", "2001:db8::a:b:c:d", "2001:0db8:0:0:1:2:3:4", "2001:DB8::"]) {
    expect(networkOf(address), address).toBe("2001:db8:0:0");
  }
  expect(networkOf("2001:db8:1:2::5")).toBe("2001:db8:1:2");
  expect(networkOf("::1")).toBe("0:0:0:0");
});
