import { expect, test } from "vitest";
import { createOutbound, OutboundError } from ".";
import { resolverFor, respondWith, startService } from "./testing/service";

const IPV4 = [
  ..."127.0.0.1 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7F.1 0177.0.0.1 017700000001 0x7f.0.0.1".split(
    " ",
  ),
  ..."127.0.0.1. %31%32%37.0.0.1 ①②⑦.⓪.⓪.① 127。0。0。1 0 0.0.0.0 0.1.2.3 00000177.1".split(" "),
  ..."10.0.0.1 10.255.255.255 167772161 172.16.0.1 172.31.255.255 192.168.0.1 3232235777 0xc0a80101".split(" "),
  ..."169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 169.254.170.2 169.254.0.1".split(" "),
  ..."100.64.0.1 100.127.255.255 100.100.100.200 168.63.129.16 192.0.0.192 192.0.0.1".split(" "),
  ..."192.0.2.1 198.51.100.7 203.0.113.7 198.18.0.1 198.19.255.255 192.88.99.1 224.0.0.1 239.255.255.250".split(" "),
  ..."240.0.0.1 255.255.255.255 4294967295".split(" "),
];
const IPV6 = [
  ..."::1 0:0:0:0:0:0:0:1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:A9FE:A9FE ::ffff:8.8.8.8 ::127.0.0.1 ::808:808".split(
    " ",
  ),
  ..."::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::a00:1".split(" "),
  ..."2002:7f00:1:: 2002:a9fe:a9fe::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 fe80::1 febf::1 fec0::1".split(" "),
  ..."fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 ff02::1 ff0e::1 100::1 2001:db8::1 3fff::1 5f00::1 2001:2::1 4000::1".split(
    " ",
  ),
];
const NAMES = {
  "loopback.test": ["127.0.0.1"],
  "private.test": ["10.0.0.5"],
  "mixed.test": ["93.184.216.34", "10.0.0.5"],
  "metadata.google.internal": ["169.254.169.254"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "scoped.test": ["fe80::1%eth0"],
  "octal.test": ["0177.0.0.1"],
  "words.test": ["localhost"],
  "public.test": ["93.184.216.34"],
};
const ADDRESSED = [
  ...[
    ...IPV4,
    ...IPV6.map((address) => `[${address}]`),
    ...Object.keys(NAMES).filter((name) => name !== "public.test"),
  ],
  ..."localhost LOCALHOST localhost. api.localhost localhost.localhost. public.test. ⓛocalhost [fe80::1%25eth0]".split(
    " ",
  ),
  ..."user:password@public.test user@public.test public.test@127.0.0.1 :@127.0.0.1 127.0.0.1\\@public.test".split(" "),
  ..."127.0.0.1#@public.test 127.0.0.1?@public.test 1.2.3.4.5 256.1.1.1".split(" "),
];

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => "called",
    (error: unknown) => (error instanceof OutboundError ? error.reason : error),
  );

test("no spelling of a non-public address is called, over https or http", async () => {
  const service = await startService(respondWith());
  const client = createOutbound({ resolve: resolverFor(NAMES) });
  expect(ADDRESSED.length).toBeGreaterThanOrEqual(60);
  for (const host of ADDRESSED) {
    // The port is that of a server which would reply.
    const [, before = host, after = ""] = /^([^#?\\]*)([#?\\].*)$/.exec(host) ?? [];
    for (const scheme of ["https", "http"]) {
      const url = `${scheme}://${before}:${service.port}/${after}`;
      expect(await reasonOf(client.request({ projectId: "p", url })), url).toMatch(/^(refused|invalid)$/);
    }
  }
  expect(service.connections()).toBe(0);
});

test("only http and https are called, and public hosts only over https", async () => {
  const client = createOutbound({ resolve: resolverFor(NAMES) });
  const others =
    "ftp://public.test file:///etc/passwd gopher://public.test data:,x javascript:1 ws://public.test //public.test public.test";
  for (const url of [...others.split(" "), "", "https://", "https:///", "http://[::1"]) {
    expect(await reasonOf(client.request({ projectId: "p", url })), url).toMatch(/^(invalid|unreachable)$/);
  }
  for (const url of ["http://public.test/", "http://93.184.216.34/", "http://[2606:4700::1111]/"]) {
    await expect(client.request({ projectId: "p", url }), url).rejects.toMatchObject({
      reason: "refused",
      message: expect.stringContaining("https:// is needed"),
    });
  }
});

test("a refusal explains why and what the operator can do, without revealing what a name resolves to", async () => {
  const client = createOutbound({ resolve: resolverFor(NAMES) });
  const said = async (url: string) => client.request({ projectId: "p", url }).catch((error: Error) => error.message);
  expect(await said("http://127.0.0.1:11434")).toBe(
    "127.0.0.1 is an address of this machine. If the service at this address is yours, the operator can allow it with OUTBOUND_ALLOW=127.0.0.1/32.",
  );
  expect(await said("https://[fd00::1]/")).toContain("OUTBOUND_ALLOW=fd00::1/128");
  expect(await said("https://private.test/")).toBe(
    "private.test resolves to a private address. If the service at this address is yours, the operator can allow it with OUTBOUND_ALLOW=private.test.",
  );
  expect(await said("http://localhost:1")).toContain("OUTBOUND_ALLOW=localhost.");
  expect(await said("https://metadata.google.internal/")).not.toMatch(/169|OUTBOUND_ALLOW/);
});

test("only what the operator allows is called", async () => {
  const service = await startService(respondWith());
  const { port } = service;
  const names = { ...NAMES, "model.test": ["127.0.0.1"], localhost: ["127.0.0.1"], "linked.test": ["169.254.1.1"] };
  const outcome = (allow: string, host: string) =>
    reasonOf(
      createOutbound({ allow, resolve: resolverFor(names) }).request({
        projectId: "p",
        url: `http://${host}:${port}/`,
        repeatable: false,
      }),
    );
  for (const [allow, host] of [
    ["127.0.0.1/32", "127.0.0.1"],
    ["127.0.0.1", "127.0.0.1"],
    [`127.0.0.1:${port}`, "127.0.0.1"],
    ["10.0.0.0/8, 127.0.0.0/8", "127.0.0.1"],
    ["127.0.0.0/8", "2130706433"],
    ["127.0.0.0/8", "model.test"],
    ["model.test", "model.test"],
    ["MODEL.test", "model.test"],
    [`model.test:${port}`, "MODEL.TEST"],
    ["localhost", "localhost"],
    ["0.0.0.0/0", "127.0.0.1"],
  ] as const) {
    expect(await outcome(allow, host), `${allow} allows ${host}`).toBe("called");
  }
  for (const [allow, host] of [
    ["127.0.0.2/32", "127.0.0.1"],
    ["127.0.0.1:1", "127.0.0.1"],
    ["model.test:1", "model.test"],
    ["model.test", "127.0.0.1"],
    ["model.test", "loopback.test"],
    ["test", "model.test"],
    ["127.0.0.0/8", "localhost"],
    ["127.0.0.0/8", "mapped.test"],
    ["127.0.0.0/8", "[::ffff:127.0.0.1]"],
    ["93.184.216.0/24", "mixed.test"],
    // Cloud metadata and link-local addresses are allowed only when listed by their exact address.
    ["169.254.0.0/16", "169.254.169.254"],
    ["metadata.google.internal", "metadata.google.internal"],
    ["linked.test", "linked.test"],
  ] as const) {
    expect(await outcome(allow, host), `${allow} does not allow ${host}`).toBe("refused");
  }
});

test("our own database is not called, whatever is allowed and however it is named", async () => {
  const service = await startService(respondWith());
  const { port } = service;
  const names = {
    "db.test": ["127.0.0.1"],
    "other.test": ["127.0.0.9"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "lost.test": ["10.9.9.9"],
  };
  const allow = "0.0.0.0/0, ::/0, db.test, other.test, localhost";
  for (const host of ["127.0.0.1", "db.test", "[::1]"]) {
    const databases = [{ host: host.replace(/[[\]]/g, ""), port }];
    const client = createOutbound({
      allow,
      databases,
      resolve: resolverFor({ ...names, localhost: ["127.0.0.1", "::1"] }),
    });
    for (const at of [
      "127.0.0.1",
      "127.1",
      "127.0.0.2",
      "0.0.0.0",
      "[::1]",
      "[::]",
      "[::ffff:7f00:1]",
      "localhost",
      ...Object.keys(names).slice(0, 3),
    ]) {
      const call = client.request({ projectId: "p", url: `http://${at}:${port}/` });
      await expect(call, `${at}, with the database at ${host}`).rejects.toMatchObject({
        reason: "refused",
        message: expect.stringContaining("database of this installation"),
      });
    }
  }
  expect(service.connections()).toBe(0);
  // Another port of the same machine may belong to another service.
  const elsewhere = createOutbound({ allow, databases: [{ host: "127.0.0.1", port: port + 1 }] });
  expect((await elsewhere.request({ projectId: "p", url: service.url })).status).toBe(200);
  // A database that cannot be looked up is guarded by its port.
  const unknown = createOutbound({ allow, databases: [{ host: "gone.test", port }], resolve: resolverFor(names) });
  expect(await reasonOf(unknown.request({ projectId: "p", url: service.url }))).toBe("refused");
});

test("a name is resolved once per connection, which goes to the checked address", async () => {
  const service = await startService(respondWith("yes", 200, { connection: "close" }));
  const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "169.254.169.254"]];
  let lookups = 0;
  const resolve = async () => (answers[lookups++] ?? []).map((address) => ({ address, family: 4 }));
  const client = createOutbound({ allow: "127.0.0.1/32", resolve });
  const url = `http://rebinding.test:${service.port}/`;
  expect((await client.request({ projectId: "p", url })).body.toString()).toBe("yes");
  expect(lookups).toBe(1);
  expect(await reasonOf(client.request({ projectId: "p", url }))).toBe("refused");
  expect(await reasonOf(client.request({ projectId: "p", url }))).toBe("refused");
  expect(lookups).toBe(3);
  expect(service.hits).toHaveLength(1);
});

test("a redirect is checked like the first address, and its target is not disclosed", async () => {
  const hidden = await startService(respondWith("secret"));
  const database = await startService(respondWith("rows"));
  let target = "";
  const service = await startService((_request, response) => void response.writeHead(302, { location: target }).end());
  const names = { ...NAMES, "service.test": ["127.0.0.1"], "rebound.test": ["127.0.0.1"] };
  const allow = `service.test, 127.0.0.1:${service.port}, 127.0.0.1:${database.port}`;
  const client = createOutbound({
    allow,
    resolve: resolverFor(names),
    databases: [{ host: "127.0.0.1", port: database.port }],
  });
  const targets = [
    ...[
      "http://169.254.169.254/latest/meta-data/",
      "https://169.254.169.254/",
      "//169.254.169.254/",
      "http://0xa9fea9fe/",
    ],
    ...[
      `http://127.0.0.1:${hidden.port}/`,
      `http://127.1:${hidden.port}/`,
      `http://[::ffff:127.0.0.1]:${hidden.port}/`,
    ],
    ...[
      `http://localhost:${hidden.port}/`,
      `http://rebound.test:${hidden.port}/`,
      "https://private.test/",
      "https://mixed.test/",
    ],
    ...[
      "http://public.test/",
      "http://user:password@service.test/",
      "https://[64:ff9b::a00:1]/",
      "https://localhost./",
    ],
    ...["file:///etc/passwd", "ftp://public.test/", "gopher://127.0.0.1/", "javascript:alert(1)", "data:,x"],
    `http://127.0.0.1:${database.port}/`,
  ];
  for (target of targets) {
    const call = client.request({ projectId: "p", url: `http://service.test:${service.port}/` });
    const error: OutboundError = await call.then(
      () => expect.fail(`${target} was called`),
      (failed) => failed,
    );
    expect([error.reason, error.message], target).toEqual([
      "refused",
      "service.test redirects to an address that can't be called.",
    ]);
  }
  expect([hidden.connections(), database.connections()]).toEqual([0, 0]);
});

test("check() rejects addresses that must not be called, without a lookup", () => {
  const client = createOutbound({ resolve: () => expect.fail("looked up") });
  expect(client.check("https://API.example.com/v1").href).toBe("https://api.example.com/v1");
  for (const url of [
    "https://127.1/",
    "https://localhost/",
    "http://example.com/",
    "ftp://example.com/",
    "https://a:b@example.com/",
  ]) {
    expect(() => client.check(url), url).toThrow(OutboundError);
  }
});
