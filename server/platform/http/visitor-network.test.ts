import { expect, test } from "vitest";
import { networkOf } from "./visitor-network";

test("a network is a whole IPv4 address or the /64 of an IPv6 address, in any notation", () => {
  expect(networkOf("192.0.2.1")).toBe("192.0.2.1");
  expect(networkOf("unknown")).toBe("unknown");
  for (const address of ["2001:db8::1", "2001:db8::a:b:c:d", "2001:0db8:0:0:1:2:3:4", "2001:DB8::"]) {
    expect(networkOf(address), address).toBe("2001:db8:0:0");
  }
  expect(networkOf("2001:db8:1:2::5")).toBe("2001:db8:1:2");
  expect(networkOf("::1")).toBe("0:0:0:0");
});
