import { writeFileSync } from 'fs';
import { join } from 'path';
import { FakeApi, fakeGuest, fakeHarvester, fakeRancher, guestObjects, serve } from './_fake-api';
import { AssemblyTarget } from '../../../src/core/output/assembly';
import { BindOptions, Binding, bindTargets } from '../../../src/engine/auth/bind-targets';
import { WrongClusterError } from '../../../src/engine/auth/identity';
import { Connection } from '../../../src/engine/transport/api';
import { FaultProxy, status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

async function api(fake: FakeApi): Promise<FaultProxy> {
  const proxy = await serve(fake);
  closers.push(() => proxy.close());
  return proxy;
}

function target(
  name: string,
  kind: AssemblyTarget['kind'],
  more: Partial<AssemblyTarget> = {},
): AssemblyTarget {
  const version = { rancher: '2.13.8', harvester: '1.7.2', guest: 'v1.33.6+rke2r1' }[kind];
  return { name, kind, version, folder: name, construct: name, properties: {}, ...more };
}

const RANCHER = target('rancher', 'rancher', {
  properties: { serverUrl: 'https://rancher.example.com' },
});
const DC1 = target('dc1', 'harvester', { properties: { vip: '10.10.0.10' } });
const SHOP = target('shop', 'guest', {
  properties: { provisioningCluster: 'fleet-default/shop', rancher: 'rancher' },
});

/** Binds targets to servers, each with a token of its own. */
async function bind(
  servers: { readonly [name: string]: FaultProxy },
  targets: AssemblyTarget[],
  options: BindOptions = {},
): Promise<Binding & { warnings: string[] }> {
  const warnings: string[] = [];
  const binding = await bindTargets(targets, {
    cwd: tempFolder(),
    connect: async ({ name }): Promise<Connection> => ({
      name: `context ${name}`,
      server: new URL(servers[name].url),
      ca: servers[name].ca,
      credentials: async () => ({ headers: { authorization: `Bearer tok-${name}` } }),
    }),
    onWarning: (name, message) => warnings.push(`${name}: ${message}`),
    transport: { pace: { baseMs: 2, capMs: 5 } },
    ...options,
  });
  closers.push(() => binding.close());
  return { ...binding, warnings };
}

async function refused(
  fake: FakeApi,
  bound: AssemblyTarget,
  options: BindOptions = {},
): Promise<string> {
  const proxy = await api(fake);
  const { targets } = await bind({ [bound.name]: proxy }, [bound], options);
  const error: unknown = await targets
    .get(bound.name)!
    .cluster()
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(WrongClusterError);
  // nothing was written before
  expect(proxy.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  return (error as Error).message;
}

describe('is the cluster that its target declares', () => {
  test('targets of all kinds are connected to, once, without a warning', async () => {
    const servers = { rancher: await api(fakeRancher()), dc1: await api(fakeHarvester()) };
    const { targets, warnings } = await bind(servers, [RANCHER, DC1]);
    expect(servers.rancher.requests).toHaveLength(0);
    const [one, two] = await Promise.all([
      targets.get('rancher')!.cluster(),
      targets.get('rancher')!.cluster(),
    ]);
    expect(one).toBe(two);
    await targets.get('dc1')!.cluster();
    expect(warnings).toEqual([]);
    expect([...targets.values()].map(({ by }) => by)).toEqual(['context rancher', 'context dc1']);
    expect(servers.rancher.count('GET', /server-version/)).toBe(1);
  });

  test('no Rancher', async () => {
    expect(await refused(fakeHarvester(), RANCHER)).toBe(
      'target rancher (context rancher): must be a Rancher management cluster, got a Harvester cluster. Fix: bind the target to another context',
    );
    expect(await refused(fakeGuest(), RANCHER)).toContain(
      'got a plain Kubernetes cluster, neither Rancher nor Harvester',
    );
  });

  test("nothing at all below the path of Rancher's proxy", async () => {
    const { objects, kinds } = fakeHarvester();
    expect(await refused({ kinds, objects: { ...objects, '/version': undefined } }, DC1)).toContain(
      'has no Kubernetes API at its URL (/version: 404). Fix: correct the server of the context',
    );
  });

  test('no Harvester, no guest', async () => {
    expect(await refused(fakeRancher(), DC1)).toContain(
      'must be a Harvester cluster, got a Rancher management cluster',
    );
    expect(await refused(fakeHarvester(), target('shop', 'guest'))).toContain(
      'must be a plain Kubernetes cluster, neither Rancher nor Harvester, got a Harvester cluster',
    );
  });

  test('another Rancher', async () => {
    expect(
      await refused(fakeRancher({ serverUrl: 'https://other.example.com' }), RANCHER),
    ).toContain(
      'server-url must be https://rancher.example.com, got https://other.example.com: it is another Rancher',
    );
  });

  test('another Harvester', async () => {
    expect(await refused(fakeHarvester({ vip: '10.20.0.10' }), DC1)).toContain(
      'VIP must be 10.10.0.10, got 10.20.0.10: it is another Harvester',
    );
  });

  test('another minor version is refused, unless asked for', async () => {
    expect(await refused(fakeRancher({ version: 'v2.14.1' }), RANCHER)).toMatch(
      /runs Rancher 2\.14\.1, but the target declares 2\.13\.8: .* set --accept-version-skew$/,
    );
    expect(await refused(fakeHarvester({ version: 'v1.6.1' }), DC1)).toContain(
      'runs Harvester 1.6.1, but the target declares 1.7.2',
    );
    expect(
      await refused(fakeGuest({ version: 'v1.31.0+rke2r1' }), target('shop', 'guest')),
    ).toContain('runs Kubernetes v1.31.0+rke2r1, but the target declares v1.33.6+rke2r1');
    const { targets, warnings } = await bind(
      { rancher: await api(fakeRancher({ version: 'v2.14.1' })) },
      [RANCHER],
      { acceptVersionSkew: true },
    );
    await targets.get('rancher')!.cluster();
    expect(warnings).toEqual(['rancher: runs Rancher 2.14.1, but the target declares 2.13.8']);
  });

  test.each([
    [
      'another patch version',
      RANCHER,
      fakeRancher({ version: 'v2.13.9' }),
      'runs Rancher 2.13.9, but the target declares 2.13.8',
    ],
    [
      'a build that is not a release',
      RANCHER,
      fakeRancher({ version: 'v2.13-head' }),
      'its Rancher version is v2.13-head, which is not a release; the target declares 2.13.8',
    ],
    [
      'a guest that is yet to be upgraded',
      target('shop', 'guest'),
      fakeGuest({ version: 'v1.32.9+rke2r1' }),
      'runs Kubernetes v1.32.9+rke2r1, but the target declares v1.33.6+rke2r1',
    ],
    [
      'a server-url that is not set yet',
      RANCHER,
      fakeRancher({ serverUrl: '' }),
      'its server-url is not set yet, the target declares https://rancher.example.com: clusters can be imported once it is set',
    ],
  ])('%s is a warning', async (_, bound, fake, warning) => {
    const { targets, warnings } = await bind({ [bound.name]: await api(fake) }, [bound]);
    await targets.get(bound.name)!.cluster();
    expect(warnings).toEqual([`${bound.name}: ${warning}`]);
  });

  test('refuses another cluster than before (42), unless it was recreated', async () => {
    const knownUid = (): string => 'uid-before';
    expect(await refused(fakeRancher(), RANCHER, { knownUid })).toBe(
      'target rancher (context rancher): must be the cluster of the previous run ' +
        '(kube-system UID uid-before), got another one (uid-rancher). Fix: bind the target to the previous cluster, or, if that was recreated, set --accept-new-cluster rancher',
    );
    const { targets } = await bind({ rancher: await api(fakeRancher()) }, [RANCHER], {
      knownUid,
      acceptNewCluster: ['rancher'],
    });
    await targets.get('rancher')!.cluster();
  });

  test('two targets that are one cluster', async () => {
    const servers = { dc1: await api(fakeHarvester()), dc2: await api(fakeHarvester()) };
    const { targets } = await bind(servers, [DC1, target('dc2', 'harvester')]);
    await targets.get('dc1')!.cluster();
    await expect(targets.get('dc2')!.cluster()).rejects.toThrow(
      'target dc2 (context dc2): is the cluster that target dc1 is bound to',
    );
  });

  test('a failure is not kept: the next that asks connects again', async () => {
    const proxy = await api(fakeRancher());
    proxy.fault = ({ n }) =>
      n === 1 ? { kind: 'answer', answer: status(403, 'Forbidden', 'not yet') } : undefined;
    const { targets } = await bind({ rancher: proxy }, [RANCHER]);
    await expect(targets.get('rancher')!.cluster()).rejects.toMatchObject({
      failure: 'forbidden',
      message: 'target rancher (context rancher): not yet',
    });
    await targets.get('rancher')!.cluster();
  });
});

describe('a guest is reached by the Secret that Rancher keeps', () => {
  test("through the server-url, with Rancher's own authority: the address in the Secret is none from here", async () => {
    const rancher = fakeRancher();
    const proxy = await api(rancher);
    Object.assign(
      rancher.objects,
      fakeGuest({ base: '/k8s/clusters/c-m-shop' }).objects,
      guestObjects('https://10.43.0.17/k8s/clusters/c-m-shop', 'guest-token', 'x-----BEGIN x'),
    );
    rancher.objects['/apis/management.cattle.io/v3/settings/server-url'].value = proxy.url;
    rancher.objects['/apis/management.cattle.io/v3/settings/cacerts'].value = proxy.ca;
    const { targets, warnings } = await bind({ rancher: proxy }, [
      { ...RANCHER, properties: { serverUrl: proxy.url } },
      SHOP,
    ]);
    expect(targets.get('shop')!.by).toBe('Secret fleet-default/shop-kubeconfig on rancher');
    const cluster = await targets.get('shop')!.cluster();
    expect((await cluster.get('/version')).gitVersion).toBe('v1.33.6+rke2r1');
    // each server got its own token and no other (5.7)
    const tokens = (guest: boolean): Set<string | undefined> =>
      new Set(
        proxy.requests
          .filter(({ path }) => path.startsWith('/k8s/') === guest)
          .map(({ headers }) => headers.authorization),
      );
    expect(tokens(true)).toEqual(new Set(['Bearer guest-token']));
    expect(tokens(false)).toEqual(new Set(['Bearer tok-rancher']));
    expect(warnings).toEqual([]);
  });

  test('directly where the Secret names an address of its own; a new token is read after a 401', async () => {
    const guest = await api(fakeGuest());
    const fake = fakeRancher();
    const rancher = await api(fake);
    Object.assign(fake.objects, guestObjects(guest.url, 'old', guest.ca));
    guest.fault = ({ headers }) =>
      headers.authorization === 'Bearer new'
        ? undefined
        : { kind: 'answer', answer: status(401, 'Unauthorized', 'Unauthorized') };
    guest.before = () => {
      Object.assign(fake.objects, guestObjects(guest.url, 'new', guest.ca));
    };
    const { targets } = await bind({ rancher }, [RANCHER, SHOP]);
    await targets.get('shop')!.cluster();
    expect(guest.requests[0].headers.authorization).toBe('Bearer old');
    expect(
      guest.requests.slice(1).every(({ headers }) => headers.authorization === 'Bearer new'),
    ).toBe(true);
  });

  test('is blocked, not wrong, while there is no kubeconfig yet', async () => {
    const fake = fakeRancher();
    const { targets } = await bind({ rancher: await api(fake) }, [RANCHER, SHOP]);
    const shop = targets.get('shop')!;
    await expect(shop.cluster()).rejects.toMatchObject({
      failure: 'blocked',
      message: expect.stringMatching(/Cluster fleet-default\/shop on rancher does not exist yet$/),
    });
    Object.assign(fake.objects, guestObjects('https://x', 't'));
    const path = Object.keys(fake.objects).find((key) => key.endsWith('/clusters/shop'))!;
    fake.objects[path] = { status: {} };
    await expect(shop.cluster()).rejects.toMatchObject({
      failure: 'blocked',
      message: expect.stringContaining('has no kubeconfig yet (status.clientSecretName)'),
    });
  });

  test('another management cluster behind the Secret is refused', async () => {
    const fake = fakeRancher();
    Object.assign(fake.objects, guestObjects('https://10.43.0.17/k8s/clusters/c-m-other', 't'));
    const { targets } = await bind({ rancher: await api(fake) }, [RANCHER, SHOP]);
    await expect(targets.get('shop')!.cluster()).rejects.toThrow(
      'must be for the management cluster c-m-shop of Cluster fleet-default/shop on rancher, got c-m-other',
    );
  });

  test.each([
    ['exec', { exec: { command: '/bin/rm' } }],
    ['tokenFile', { tokenFile: '/etc/passwd' }],
    ['client-key', { 'token': 'x', 'client-key': '/root/.ssh/id_rsa' }],
  ])('a kubeconfig of a Secret may not have %s', async (field, user) => {
    const fake = fakeRancher();
    Object.assign(fake.objects, guestObjects('https://10.0.0.1', 'canary-token'));
    const path = '/api/v1/namespaces/fleet-default/secrets/shop-kubeconfig';
    const config = JSON.parse(Buffer.from(fake.objects[path].data.value, 'base64').toString());
    fake.objects[path].data.value = Buffer.from(
      JSON.stringify({ ...config, users: [{ name: 'user', user }] }),
    ).toString('base64');
    const { targets } = await bind({ rancher: await api(fake) }, [RANCHER, SHOP]);
    await expect(targets.get('shop')!.cluster()).rejects.toThrow(
      `its kubeconfig cannot be used: must contain only token, client-certificate-data, client-key-data and certificate-authority-data, got ${field}`,
    );
  });

  test('a context wins over it', async () => {
    const { targets } = await bind(
      { rancher: await api(fakeRancher()), shop: await api(fakeGuest()) },
      [RANCHER, SHOP],
      { context: new Map([['shop', 'mine']]) },
    );
    expect(targets.get('shop')!.by).toBe('context mine');
    await targets.get('shop')!.cluster();
  });
});

describe('contexts', () => {
  const kubeconfig = (...names: string[]): string =>
    JSON.stringify({
      contexts: names.map((name) => ({ name, context: { cluster: 'c', user: 'u' } })),
      clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1' } }],
      users: [{ name: 'u', user: { token: 't' } }],
    });

  async function by(
    files: { [file: string]: string },
    options: BindOptions = {},
    targets = [RANCHER, DC1],
  ): Promise<Record<string, string>> {
    const cwd = tempFolder();
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(cwd, file), text);
    }
    const binding = await bindTargets(targets, {
      cwd,
      env: { KUBECONFIG: 'a:missing:b' },
      ...options,
    });
    return Object.fromEntries(
      [...binding.targets].map(([name, bound]) => [name, bound.by.replace(cwd, '.')]),
    );
  }

  test('are found by the name of the target in all of KUBECONFIG, files that are not there left out', async () => {
    expect(await by({ a: kubeconfig('rancher'), b: kubeconfig('dc1', 'rancher') })).toEqual({
      rancher: 'context rancher',
      dc1: 'context dc1',
    });
  });

  test('options win over the config file, which wins over names', async () => {
    const config = 'targets:\n  rancher: {context: one}\n  dc1: {context: two, kubeconfig: ./c}\n';
    const files = {
      'a': kubeconfig('one', 'three', 'dc1'),
      'c': kubeconfig('two'),
      'cdk8s-harvester.yaml': config,
    };
    expect(await by(files)).toEqual({ rancher: 'context one', dc1: 'context two of ./c' });
    expect(await by(files, { context: new Map([['rancher', 'three']]) })).toEqual({
      rancher: 'context three',
      dc1: 'context two of ./c',
    });
  });

  test('are not asked for where there is no kubeconfig at all', async () => {
    const error: Error = await by({}, { context: new Map([['rancher', 'nope']]) }).then(
      () => {
        throw new Error('bound');
      },
      (thrown) => thrown,
    );
    expect(error.message.split('\n')).toEqual([
      expect.stringMatching(
        /^target rancher: cannot find context nope: no kubeconfig at .*. Fix: set --kubeconfig <file> or KUBECONFIG, or name a kubeconfig in the config file$/,
      ),
      expect.stringMatching(
        /^target dc1: has no context: no kubeconfig at .*\. Fix: set --kubeconfig <file>/,
      ),
    ]);
    expect(error.message).not.toContain('--context');
  });

  test('reports missing contexts together with those that exist', async () => {
    const error: Error = await by(
      { a: kubeconfig('prod') },
      {
        context: new Map([
          ['rancher', 'nope'],
          ['typo', 'prod'],
        ]),
      },
    ).then(
      () => {
        throw new Error('bound');
      },
      (thrown) => thrown,
    );
    expect(error.message.split('\n')).toEqual([
      'typo: must be a target: rancher, dc1',
      expect.stringMatching(
        /^target rancher: context nope is not in KUBECONFIG \(.*\); its contexts: prod\. Fix: set --context rancher=<context>, or name the context in the config file$/,
      ),
      expect.stringMatching(
        /^target dc1: is not bound to a context: KUBECONFIG .* has none with the name dc1; its contexts: prod\. Fix: set --context dc1=<context>/,
      ),
    ]);
  });

  test('are needed only for the targets that are', async () => {
    expect(
      await by({ a: kubeconfig('rancher') }, { needed: ({ name }) => name === 'shop' }, [
        RANCHER,
        DC1,
        SHOP,
      ]),
    ).toEqual({
      rancher: 'context rancher',
      shop: 'Secret fleet-default/shop-kubeconfig on rancher',
    });
  });

  test('are not shared by two targets', async () => {
    await expect(
      by(
        { a: kubeconfig('prod') },
        {
          context: new Map([
            ['rancher', 'prod'],
            ['dc1', 'prod'],
          ]),
        },
      ),
    ).rejects.toThrow(
      'target dc1: is bound to context prod, and so is target rancher; each target must be a separate cluster',
    );
  });

  test.each([
    ['targets: [', 'cdk8s-harvester.yaml: is not valid YAML'],
    [
      'target: {}',
      'cdk8s-harvester.yaml: must contain only app, targets, ignore and takeOver, got target',
    ],
    ['targets: {rancher: prod}', 'cdk8s-harvester.yaml: targets.rancher: must be a map. Example'],
    [
      'targets: {rancher: {contxt: prod}}',
      'cdk8s-harvester.yaml: targets.rancher: must contain only context and kubeconfig, got contxt',
    ],
    [
      'targets: {rancher: {context: 7}}',
      'cdk8s-harvester.yaml: targets.rancher.context: must be a text',
    ],
  ])('a config file %j is refused', async (text, message) => {
    await expect(
      by({ 'a': kubeconfig('rancher', 'dc1'), 'cdk8s-harvester.yaml': text }),
    ).rejects.toThrow(message);
  });

  test('reports the place of an error in a kubeconfig, never its content', async () => {
    const error: Error = await by({ a: 'users:\n- name: u\n  user: {token: c4nary\n' }).then(
      () => {
        throw new Error('bound');
      },
      (thrown) => thrown,
    );
    expect(error.message).toMatch(/\/a: is not valid YAML: .* at line \d+, column \d+/);
    expect(error.message).not.toContain('c4nary');
  });
});
