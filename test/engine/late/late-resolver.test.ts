import { AssemblyLateSource } from '../../../src/core/output/assembly';
import { LateResolver, LateResolverOptions } from '../../../src/engine/late/late-resolver';
import { resolveAll } from '../../../src/engine/late/resolve-program';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';

const SERVER = 'https://rancher.example.com';
const TOKEN = 'canary-5x7q2hv9w4';
const CRT = {
  resolver: 'registration-url',
  target: 'rancher',
  apiVersion: 'management.cattle.io/v3',
  kind: 'ClusterRegistrationToken',
  namespace: 'c-m-dc1',
  name: 'gitops',
  path: 'status.manifestUrl',
};

const field = (path: string, name = 'source'): AssemblyLateSource => ({
  resolver: 'field',
  target: 'rancher',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'default',
  name,
  path,
});
const secretKey = (path: string, name = 'source'): AssemblyLateSource => ({
  ...(field(path, name) as typeof CRT),
  kind: 'Secret',
  resolver: 'secret-key',
});

/** Time that passes by sleeping alone. */
class FakeClock {
  public time = 0;
  public readonly pauses: number[] = [];
  /** Called when a time is reached. */
  public readonly later = new Map<number, () => void>();

  public now(): number {
    return this.time;
  }

  public async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.pauses.push(ms);
    this.time += ms;
    for (const [at, act] of this.later) {
      if (at <= this.time) {
        this.later.delete(at);
        act();
      }
    }
    await Promise.resolve();
    if (signal?.aborted) {
      throw new DOMException('ended', 'AbortError');
    }
  }
}

function setUp(
  program: SmallProgram,
  options: LateResolverOptions = {},
): { resolver: LateResolver; cluster: FakeCluster; clock: FakeClock } {
  const cluster = new FakeCluster();
  const clock = new FakeClock();
  const targets = fakeTargets(
    { rancher: cluster },
    {
      rancher: {
        name: 'rancher',
        kind: 'rancher',
        version: '2.13.8',
        folder: 'rancher',
        construct: 'rancher',
        properties: { serverUrl: SERVER },
      },
    },
  );
  return {
    resolver: new LateResolver(program.assembly, targets, { clock, random: () => 0.5, ...options }),
    cluster,
    clock,
  };
}

const newProgram = (): SmallProgram =>
  new SmallProgram().target('rancher', 'rancher', { serverUrl: SERVER });

/** The resolver of one late value `x`, and its cluster. */
function one(
  source: AssemblyLateSource,
  more: Parameters<SmallProgram['late']>[2] = {},
  options: LateResolverOptions = {},
): ReturnType<typeof setUp> {
  return setUp(newProgram().late('x', source, more), options);
}

const configMap = (data: unknown, name = 'source'): { [field: string]: unknown } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const secret = (
  data: { [key: string]: string },
  name = 'source',
  namespace = 'default',
): { [field: string]: unknown } => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
});
const crt = (status: unknown): { [field: string]: unknown } => ({
  apiVersion: CRT.apiVersion,
  kind: CRT.kind,
  metadata: { name: CRT.name, namespace: CRT.namespace },
  status,
});

test('an item of a list is found by its index, or by one of its fields', async () => {
  const data = {
    nics: [
      { name: 'default', ip: '10.52.0.9' },
      { name: 'nic-1', ip: '10.0.0.7' },
    ],
  };
  const values = await Promise.all(
    ['data.nics.name=nic-1.ip', 'data.nics.0.ip', 'data.nics.name=nic-2.ip'].map(async (path) => {
      const { resolver, cluster } = one(field(path));
      cluster.seed(configMap(data) as any);
      return (await resolver.tryResolve('x')) ? resolver.values.get('x') : undefined;
    }),
  );
  expect(values).toEqual(['10.0.0.7', '10.52.0.9', undefined]);
});

describe('a field of the object with a label', () => {
  const labeled = (path: string): AssemblyLateSource => ({
    ...(field(path, 'example.com/default=true') as typeof CRT),
    resolver: 'labeled-field',
  });
  const withLabel = (name: string, status: object = {}) => ({
    ...configMap({}, name),
    metadata: { name, namespace: 'default', labels: { 'example.com/default': 'true' } },
    status,
  });

  test('is found by the label alone, with the first path that has a value', async () => {
    const { resolver, cluster } = one(labeled('status.namespace|metadata.name'));
    cluster.seed(configMap({}, 'other'));
    cluster.seed(withLabel('p-x7k2p'));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe('p-x7k2p');
  });

  test('prefers the first path', async () => {
    const { resolver, cluster } = one(labeled('status.namespace|metadata.name'));
    cluster.seed(withLabel('p-x7k2p', { namespace: 'c-m-1-p-x7k2p' }));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe('c-m-1-p-x7k2p');
  });

  test.each([
    [
      [],
      'read from metadata.name of ConfigMap default/* with label example.com/default=true on rancher (context rancher): no object has this label yet',
    ],
    [['a', 'b'], 'several objects have this label: a, b'],
  ])('is not known while %j have the label', async (names, message) => {
    const { resolver, cluster } = one(labeled('metadata.name'), {}, { timeoutMs: 1_000 });
    for (const name of names) {
      cluster.seed(withLabel(name));
    }
    await expect(resolver.resolve('x')).rejects.toThrow(message);
  });
});

describe('a field', () => {
  test.each<[string, unknown, string]>([
    ['data.key', { key: 'text' }, 'text'],
    ['data.list.1.ip', { list: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] }, '10.0.0.2'],
    [
      'data.loadBalancer.ingress.0.ip',
      { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
      '10.0.0.1',
    ],
    ['data.0', { 0: 'a key that is a number' }, 'a key that is a number'],
    ['data.example.com/a.b', { 'example.com/a.b': 'dotted' }, 'dotted'],
    ['data.port', { port: 6443 }, '6443'],
  ])('%s is found', async (path, data, value) => {
    const { resolver, cluster } = one(field(path));
    cluster.seed(configMap(data));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe(value);
  });

  test('is waited for until it is there, without its object being ready', async () => {
    const { resolver, cluster, clock } = one(field('status.clusterName'));
    clock.later.set(3_000, () => {
      cluster.seed({ ...configMap({}), status: { clusterName: '' } });
    });
    clock.later.set(9_000, () => {
      cluster.change(
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'source' },
        (live) => {
          live.status.clusterName = 'c-m-1';
        },
      );
    });
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe('c-m-1');
    expect(clock.time).toBeGreaterThanOrEqual(9_000);
    expect(Math.max(...clock.pauses)).toBeLessThanOrEqual(8_000);
    expect(clock.pauses[1]).toBeGreaterThan(clock.pauses[0]);
  });

  test('reports a value that does not appear with all objects that were read', async () => {
    const { resolver, cluster, clock } = one(field('data.key'), {}, { timeoutMs: 60_000 });
    cluster.seed({
      ...configMap({ key: '' }),
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    });
    await expect(resolver.resolve('x')).rejects.toThrow(
      'late value "the x" (app/x): not known after 60 s; read from data.key of ConfigMap default/source on rancher (context rancher): its data.key is still empty; ' +
        'Ready is False. Fix: check this object and the log of Rancher (Deployment cattle-system/rancher) for the cause, or set a longer --timeout, and run the command again',
    );
    expect(clock.time).toBe(60_000);
  });

  test.each<[string, { type: string }, string, string]>([
    ['a name', { type: 'name' }, 'C_Bad', 'its value must be an RFC 1123 label'],
    ['a token', { type: 'token' }, 'two words', 'its value must not contain white space'],
    ['a URL', { type: 'url' }, 'http://x', 'its value must be an https URL'],
    ['anything', { type: 'string' }, 'a ${late:other}', 'its value must not contain a late value'],
  ])('does not accept or show a value that has no %s', async (_, more, value, message) => {
    const { resolver, cluster } = one(field('data.key'), more, { timeoutMs: 1_000 });
    cluster.seed(configMap({ key: value }));
    const error = (await resolver.resolve('x').catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(value);
    expect(resolver.values.size).toBe(0);
  });
});

describe('a key of a Secret', () => {
  test('is decoded, and kept from messages in every encoding', async () => {
    const { resolver, cluster } = one(secretKey('token'));
    cluster.seed(secret({ token: 'line\nline' }));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe('line\nline');
    expect(resolver.isSensitive('x')).toBe(true);
    expect(resolver.secrets).toEqual([
      'line\nline',
      Buffer.from('line\nline').toString('base64'),
      'line\\nline',
    ]);
  });

  test.each<[string, { [field: string]: unknown } | undefined, string]>([
    ['no Secret', undefined, 'Secret default/source does not exist yet'],
    ['another key', secret({ other: 'x' }), 'Secret default/source has no key "token" yet'],
    [
      'bytes',
      { ...secret({}), data: { token: Buffer.from([0xff, 0xfe]).toString('base64') } },
      'is not UTF-8 text',
    ],
  ])('reports the cause with %s', async (_, object, message) => {
    const { resolver, cluster } = one(secretKey('token'), {}, { timeoutMs: 1_000 });
    if (object) {
      cluster.seed(object);
    }
    await expect(resolver.resolve('x')).rejects.toThrow(message);
  });
});

describe('a registration URL', () => {
  const url = (token: string, host = 'rancher.example.com'): string =>
    `https://${host}/v3/import/${token}_c-m-dc1.yaml`;

  test('reads it from the status on an older Rancher', async () => {
    const { resolver, cluster } = one(CRT, { type: 'url' });
    cluster.seed(crt({ manifestUrl: url(TOKEN) }));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe(url(TOKEN));
  });

  // fault 15 of the fault table: the Secret appears later, never, or with another key
  test('of a newer one gets its token from the Secret that the status names, once it is there', async () => {
    const { resolver, cluster, clock } = one(CRT, { type: 'url' });
    cluster.seed(crt({ manifestUrl: url('{token}'), tokenSecretName: 'crt-token-other' }));
    clock.later.set(20_000, () => {
      cluster.seed(secret({ token: TOKEN }, 'crt-token-other', 'c-m-dc1'));
    });
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe(url(TOKEN));
    expect(clock.time).toBeGreaterThanOrEqual(20_000);
  });

  test('is looked for in crt-token-<name> where the status names none', async () => {
    const { resolver, cluster } = one(CRT, { type: 'url' });
    cluster.seed(crt({ manifestUrl: url('{token}') }));
    cluster.seed(secret({ token: 'a$&b' }, 'crt-token-gitops', 'c-m-dc1'));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe(url('a$&b'));
  });

  test.each<[string, { [key: string]: string } | undefined, string]>([
    [
      'without its Secret',
      undefined,
      'its status.manifestUrl holds {token}, and Secret c-m-dc1/crt-token-gitops does not exist yet',
    ],
    [
      'with another key in it',
      { tokens: TOKEN },
      'its status.manifestUrl holds {token}, and Secret c-m-dc1/crt-token-gitops has no key "token" yet',
    ],
    [
      'with a placeholder for a token',
      { token: '{token}' },
      'its value must not contain a placeholder in braces',
    ],
    [
      'with white space in the token',
      { token: `${TOKEN}\n` },
      'its value must not contain white space',
    ],
  ])('%s is never taken', async (_, data, message) => {
    const { resolver, cluster } = one(CRT, { type: 'url' }, { timeoutMs: 1_000 });
    cluster.seed(crt({ manifestUrl: url('{token}'), tokenSecretName: 'crt-token-gitops' }));
    if (data) {
      cluster.seed(secret(data, 'crt-token-gitops', 'c-m-dc1'));
    }
    const error = (await resolver.resolve('x').catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(TOKEN);
    expect(resolver.values.size).toBe(0);
  });

  test("of another host than the program's Rancher is never taken", async () => {
    const { resolver, cluster } = one(CRT, { type: 'url' }, { timeoutMs: 1_000 });
    cluster.seed(crt({ manifestUrl: url(TOKEN, 'evil.example.com') }));
    const error = (await resolver.resolve('x').catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toContain(
      'must be rancher.example.com, as in serverUrl of the program, got evil.example.com',
    );
    expect(error.message).not.toContain(TOKEN);
  });
});

describe('texts and names', () => {
  test('a text is put together from what it holds, in its encodings', async () => {
    const program = newProgram()
      .late('a', secretKey('token'))
      .late('text', { resolver: 'text', text: 'x: ${late:a|base64} "${late:a|json}"' });
    const { resolver, cluster } = setUp(program);
    cluster.seed(secret({ token: 'q"t' }));
    await resolver.resolve('text');
    expect(resolver.values.get('text')).toBe(`x: ${Buffer.from('q"t').toString('base64')} "q\\"t"`);
    expect(resolver.isSensitive('text')).toBe(true);
  });

  test('a name that is late itself is found first', async () => {
    const program = newProgram()
      .late('id', field('data.id'))
      .late('x', secretKey('token', '${late:id}'));
    const { resolver, cluster } = setUp(program);
    cluster.seed(configMap({ id: 'c-m-1' }));
    cluster.seed(secret({ token: TOKEN }, 'c-m-1'));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe(TOKEN);
  });

  test('those that are made of each other are an error, asked for together too', async () => {
    const program = newProgram()
      .late('a', { resolver: 'text', text: '${late:b}' })
      .late('b', { resolver: 'text', text: '${late:a}' });
    const { failed } = await resolveAll(program.assembly, fakeTargets({}), {});
    expect(failed.map(({ message }) => message)).toEqual([
      'late values must not depend on each other: a → b → a. Fix: remove one of these dependencies',
      'late values must not depend on each other: b → a → b. Fix: remove one of these dependencies',
    ]);
    expect(await setUp(program).resolver.tryResolve('a')).toBe(false);
  });
});

describe('looking', () => {
  test('is done once for all who ask at the same time, and not again for what is known', async () => {
    const { resolver, cluster } = one(field('data.key'));
    cluster.seed(configMap({ key: 'v' }));
    await Promise.all([resolver.resolve('x'), resolver.resolve('x')]);
    await resolver.resolve('x');
    expect(cluster.did('read')).toHaveLength(1);
  });

  test('may be tried again after a failure', async () => {
    const { resolver, cluster } = one(field('data.key'), {}, { timeoutMs: 1_000 });
    await expect(resolver.resolve('x')).rejects.toThrow('it does not exist yet');
    cluster.seed(configMap({ key: 'v' }));
    await resolver.resolve('x');
    expect(resolver.values.get('x')).toBe('v');
  });

  // faults 3 and 22: a server that is away, a role that was just made
  test.each<[ApiError['failure']]>([['transient'], ['blocked'], ['forbidden']])(
    'continues after a failure of class %s that passes',
    async (failure) => {
      const { resolver, cluster, clock } = one(field('data.key'));
      cluster.seed(configMap({ key: 'v' }));
      cluster.fault = () => (clock.time < 30_000 ? new ApiError(failure, 'not now') : undefined);
      await resolver.resolve('x');
      expect(resolver.values.get('x')).toBe('v');
    },
  );

  test.each<[ApiError['failure'], number]>([
    ['auth', 0],
    ['connection', 0],
    ['invalid', 0],
    ['forbidden', 60_000],
  ])('ends at a failure of class %s that persists, after %d ms', async (failure, time) => {
    const { resolver, cluster, clock } = one(field('data.key'));
    cluster.fault = () => new ApiError(failure, 'no');
    const error = (await resolver.resolve('x').catch((thrown: Error) => thrown)) as ApiError;
    expect(error).toMatchObject({
      failure,
      message: 'late value "the x" (app/x): data.key of ConfigMap default/source on rancher: no',
    });
    expect(clock.time).toBeGreaterThanOrEqual(time);
    expect(clock.time).toBeLessThan(time + 10_000);
  });

  test('ends at once when it is interrupted', async () => {
    const control = new AbortController();
    const { resolver, clock } = one(field('data.key'), {}, { signal: control.signal });
    clock.later.set(1, () => {
      control.abort();
    });
    await expect(resolver.resolve('x')).rejects.toMatchObject({ name: 'AbortError' });
    expect(clock.pauses).toHaveLength(1);
  });

  test('reports once, for a plan, whether it is known, and never throws for a missing object', async () => {
    const { resolver, cluster } = one(field('data.key'));
    expect(await resolver.tryResolve('x')).toBe(false);
    cluster.fault = () => new ApiError('transient', 'not now');
    expect(await resolver.tryResolve('x')).toBe(false);
    cluster.fault = undefined;
    cluster.seed(configMap({ key: 'v' }));
    expect(await resolver.tryResolve('x')).toBe(true);
    expect(await resolver.tryResolve('x')).toBe(true);
  });

  test('reports a target that is not bound', async () => {
    const { resolver } = one({ ...CRT, target: 'elsewhere' });
    await expect(resolver.resolve('x')).rejects.toThrow(
      'its target "elsewhere" is not bound to a cluster',
    );
  });

  test('reports a resolver of another version', async () => {
    const { resolver, cluster } = one({ ...CRT, resolver: 'toString' });
    await expect(resolver.resolve('x')).rejects.toThrow(
      'resolver must be one of field, labeled-field, matched-field, secret-key, registration-url and text, got "toString"',
    );
    expect(cluster.calls).toEqual([]);
  });
});

describe('objects', () => {
  test('are completed, in JSON within strings too', async () => {
    const { resolver, cluster } = one(field('data.key'));
    cluster.seed(configMap({ key: 'a "b"' }));
    await resolver.resolve('x');
    expect(
      resolver.complete({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c' },
        data: { json: '{"v":"${late:x}"}', b: '${late:x|base64}' },
      }),
    ).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { json: '{"v":"a \\"b\\""}', b: Buffer.from('a "b"').toString('base64') },
    });
  });

  test.each<[string, string]>([
    ['${late:x}', 'waits for the x, which is not known'],
    ['${late:x', 'a late value whose placeholder is damaged'],
  ])('with %s left in them never leave', (text, message) => {
    const { resolver } = one(field('data.key'));
    expect(() =>
      resolver.complete({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace: 'n' },
        stringData: { a: text },
      }),
    ).toThrow(`Secret n/s: waits for ${message.replace('waits for ', '')}`);
  });
});
