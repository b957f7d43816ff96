import { createHash } from 'node:crypto';
import { APP, QuickClock, Trial, writes } from './_running';
import {
  RegisterRunOptions,
  RegistrationMove,
  registerHarvester,
} from '../../../src/engine/run/register-harvester';
import { FakeCluster } from '../../support/fake-cluster';
import { Generation, GENERATIONS } from '../../support/recordings';
import { SmallProgram } from '../graph/_assemblies';

const HASH = 'harvesterhci.io/hash';
const ID = 'c-m-harvdc01';
const SETTING = 'dc1/harvesterhci.io/Setting//cluster-registration-url';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const MANAGEMENT = {
  apiVersion: 'management.cattle.io/v3',
  kind: 'Cluster',
  metadata: { name: ID },
};
const AGENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cattle-cluster-agent', namespace: 'cattle-system' },
};

function valueFor(token: string, host = 'rancher.example.com', id = ID): string {
  return JSON.stringify({
    url: `https://${host}/v3/import/${token}_${id}.yaml`,
    insecureSkipTLSVerify: false,
  });
}

function programWith(host = 'rancher.example.com', id = ID): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  const cluster = program.object(
    'rancher',
    'provisioning.cattle.io/v1',
    'Cluster',
    'fleet-default/dc1',
    { spec: {} },
  );
  program.late(
    'token',
    {
      resolver: 'secret-key',
      target: 'rancher',
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: id,
      name: 'crt-token-a',
      path: 'token',
    },
    { sensitive: true },
  );
  const setting = program.object(
    'dc1',
    'harvesterhci.io/v1beta1',
    'Setting',
    'cluster-registration-url',
    { value: valueFor('${late:token}', host, id) },
  );
  return program.edge(setting, cluster);
}

/** The servers of a test. */
let generation: Generation;

/**
 * A Rancher whose import is connected as soon as Harvester has fetched the URL, as seen on the
 * servers of both generations.
 */
class Platform extends Trial {
  public readonly fetched: string[] = [];
  public connects = true;

  public get dc1(): FakeCluster {
    return this.clusters.dc1;
  }

  public get rancher(): FakeCluster {
    return this.clusters.rancher;
  }

  public rotate(token: string, id = ID): void {
    this.rancher.seed({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'crt-token-a', namespace: id },
      data: { token: Buffer.from(token).toString('base64') },
    });
  }

  public start(): this {
    this.rotate('first');
    this.dc1.seed({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'cluster-registration-url' },
    });
    this.dc1.reactions.push((object) => {
      if (object.kind === 'Setting') {
        this.fetch();
      }
    });
    this.rancher.reactions.push((object) => {
      if (object.kind !== 'Cluster' || object.metadata.namespace === undefined || object.status) {
        return;
      }
      this.rancher.change(object, (cluster) => {
        cluster.status = { clusterName: ID, conditions: [] };
      });
      this.rancher.seed(
        { ...MANAGEMENT, status: { conditions: [{ type: 'Connected', status: 'False' }] } },
        'rancher',
      );
    });
    return this;
  }

  /**
   * What Harvester does after each change of the Setting; a patch has no reaction, so tests call
   * it.
   */
  public fetch(): void {
    const setting = this.dc1.live('harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url');
    const hash = createHash('sha224')
      .update(setting.value ?? '')
      .digest('hex');
    if (!setting.value || setting.metadata.annotations?.[HASH] === hash) {
      return;
    }
    const token = /import\/([^_]+)_/.exec(setting.value)![1];
    const wanted = Buffer.from(
      this.rancher.live('v1', 'Secret', 'crt-token-a', ID).data.token,
      'base64',
    ).toString();
    this.fetched.push(token);
    const isKnown = token === wanted;
    const refusal = {
      message: 'failed to get from the registration URL: cluster not found or invalid token',
    };
    this.dc1.change(setting, (live) => {
      live.status = {
        conditions: [
          { type: 'configured', status: isKnown ? 'True' : 'False', ...(isKnown ? {} : refusal) },
        ],
      };
      if (isKnown) {
        live.metadata.annotations = { ...live.metadata.annotations, [HASH]: hash };
      }
    });
    if (!isKnown) {
      return;
    }
    this.dc1.seed({
      ...AGENT,
      spec: {
        template: {
          spec: { volumes: [{ secret: { secretName: `cattle-credentials-${token}` } }] },
        },
      },
    });
    this.dc1.change(AGENT as never, (agent) => {
      agent.status = rolledOut(agent, 1);
    });
    this.dc1.seed({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `cattle-credentials-${token}`, namespace: 'cattle-system' },
      data: {},
    });
    if (this.connects) {
      this.connect(true);
    }
  }

  public connect(isConnected: boolean): void {
    const status = isConnected ? 'True' : 'False';
    const conditions = [
      { type: 'Connected', status },
      {
        type: 'Ready',
        status,
        ...(isConnected
          ? {}
          : { reason: 'Disconnected', message: 'Cluster agent is not connected' }),
      },
    ];
    this.rancher.change(MANAGEMENT as never, (cluster) => {
      cluster.status = { conditions: [{ type: 'Provisioned', status: 'True' }, ...conditions] };
    });
    this.rancher.change(
      {
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        name: 'dc1',
        namespace: 'fleet-default',
      },
      (cluster) => {
        // never false again; only the older Rancher mirrors conditions
        cluster.status = {
          clusterName: ID,
          ready: cluster.status.ready || isConnected,
          conditions: generation === GENERATIONS[0] ? conditions : [],
        };
      },
    );
  }

  public async register(options: Partial<RegisterRunOptions> = {}) {
    return registerHarvester(this.program, {
      app: APP,
      harvester: 'dc1',
      clock: new QuickClock(() => {
        this.fetch();
      }),
      onEvent: (event) => {
        this.events.push(event);
      },
      ...options,
    });
  }

  public get value(): string {
    return this.dc1.live('harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url').value;
  }
}

function rolledOut({ metadata }: { metadata: { generation?: number } }, replicas: number): object {
  return { observedGeneration: metadata.generation, updatedReplicas: 1, replicas };
}

async function applied(): Promise<Platform> {
  const platform = new Platform(programWith()).start();
  const { failed } = await platform.apply();
  expect(failed).toEqual([]);
  expect(platform.fetched).toEqual(['first']);
  platform.forget();
  return platform;
}

describe.each(GENERATIONS)('on $folder', (servers) => {
  beforeEach(() => {
    generation = servers;
  });

  test('writes nothing if the agent is connected by the current URL', async () => {
    const platform = await applied();
    expect(await platform.register()).toMatchObject({ counts: { unchanged: 1 }, failed: [] });
    expect([...writes(platform.dc1), ...platform.dc1.did('patch')]).toEqual([]);
  });

  test('writes a rotated token, which apply leaves alone, and waits until the agent is connected', async () => {
    const platform = await applied();
    platform.connect(false);
    platform.rotate('second');
    await platform.apply();
    expect(platform.fetched).toEqual(['first']);
    platform.forget();
    expect(await platform.register()).toMatchObject({
      counts: { configured: 1 },
      done: [SETTING, IMPORT],
    });
    expect(platform.fetched).toEqual(['first', 'second']);
    expect(platform.value).toBe(valueFor('second'));
    expect(platform.states(IMPORT)).toEqual(['ready']);
  });

  test('lets Harvester fetch the same URL again if the agent is not connected, or on request', async () => {
    const platform = await applied();
    platform.connect(false);
    expect(await platform.register()).toMatchObject({ counts: { configured: 1 } });
    expect(platform.fetched).toEqual(['first', 'first']);
    expect(await platform.register({ acceptConnected: true })).toMatchObject({
      counts: { configured: 1 },
    });
    expect(platform.fetched).toEqual(['first', 'first', 'first']);
    expect(platform.value).toBe(valueFor('first'));
  });

  test('deletes credentials of earlier registrations, and nothing else', async () => {
    const platform = await applied();
    platform.dc1.seed({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other', namespace: 'cattle-system' },
      data: {},
    });
    platform.dc1.seed({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cattle-credentials-x', namespace: 'elsewhere' },
      data: {},
    });
    platform.rotate('second');
    platform.connect(false);
    await platform.register();
    const secrets = [...platform.dc1.objects.values()]
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata }) => metadata.name);
    expect(secrets.sort()).toEqual(
      expect.arrayContaining(['cattle-credentials-second', 'cattle-credentials-x', 'other']),
    );
    expect(secrets).not.toContain('cattle-credentials-first');
  });

  test('keeps credentials while pods of the previous agent may mount them', async () => {
    const platform = await applied();
    platform.rotate('second');
    platform.connect(false);
    platform.dc1.reactions.push((object) => {
      if (object.kind === 'Deployment') {
        platform.dc1.change(AGENT as never, (agent) => {
          agent.status = rolledOut(agent, 2);
        });
      }
    });
    const { fetch } = platform;
    platform.fetch = function rolling(this: Platform) {
      fetch.call(this);
      this.dc1.change(AGENT as never, (agent) => {
        agent.status = { ...agent.status, replicas: 2 };
      });
    };
    await platform.register();
    expect(platform.dc1.has('v1', 'Secret', 'cattle-credentials-first', 'cattle-system')).toBe(
      true,
    );
  });

  test('reports why the agent does not connect, without the token', async () => {
    const platform = await applied();
    platform.connects = false;
    platform.connect(false);
    platform.rotate('second-secret');
    const failure = await platform
      .register({ timeoutMs: 60_000 })
      .catch((error: Error) => error.message);
    expect(failure).toMatch(
      /^rancher\/provisioning\.cattle\.io\/Cluster\/fleet-default\/dc1: not ready after .*its agent is not connected.*Deployment cattle-system\/cattle-cluster-agent has no pods/,
    );
    expect(`${failure} ${platform.told}`).not.toContain('second-secret');
  });

  test('asks before it moves a Harvester to another Rancher, with the namespaces whose projects are not there', async () => {
    const platform = await applied();
    platform.dc1.seed({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop-vms', annotations: { 'field.cattle.io/projectId': `${ID}:shop` } },
    });
    platform.dc1.seed({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'old-vms', annotations: { 'field.cattle.io/projectId': `${ID}:old` } },
    });
    platform.rancher.seed({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Project',
      metadata: { name: 'shop', namespace: ID },
    });
    platform.declared = programWith('new.example.com');
    const moves: RegistrationMove[] = [];
    const summary = await platform.register({
      confirm: async (move) => {
        moves.push(move);
        return false;
      },
    });
    expect(moves).toEqual([
      {
        harvester: 'dc1',
        from: 'rancher.example.com',
        to: 'new.example.com',
        fromId: ID,
        toId: ID,
        homeless: [`old-vms: ${ID}:old`],
      },
    ]);
    expect(summary).toMatchObject({ counts: { kept: 1 }, pending: [SETTING] });
    expect(platform.value).toBe(valueFor('first'));
    expect(await platform.register({ confirm: async () => true })).toMatchObject({
      counts: { configured: 1 },
    });
    expect(platform.value).toBe(valueFor('first', 'new.example.com'));
  });

  test.each([
    [
      'a target that the program does not have',
      'dc9',
      'harvester: must be a Harvester of this program, got dc9. Fix: use one of dc1',
    ],
    [
      'a target of another kind',
      'rancher',
      'harvester: must be a Harvester of this program, got rancher',
    ],
  ])('refuses %s', async (_, harvester, message) => {
    await expect((await applied()).register({ harvester })).rejects.toThrow(message);
  });

  test('refuses a Harvester before the program is applied', async () => {
    await expect(new Platform(programWith()).start().register()).rejects.toThrow(
      'dc1: cannot be registered before the program is applied: rancher needs its import first. Fix: run apply, then register again',
    );
  });

  test('refuses a Harvester whose import the program does not declare', async () => {
    const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
    program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url', {
      value: valueFor('first'),
    });
    await expect(new Platform(program).start().register()).rejects.toThrow(
      'dc1: the program must declare its import and its registration, got only the registration URL',
    );
  });

  test('waits while the management Cluster reports that the agent is gone, and keeps the credentials', async () => {
    const platform = await applied();
    platform.connects = false;
    platform.connect(false);
    platform.rotate('second');
    const waiting = /not ready after .*: its agent is not connected: Connected is False/;
    await expect(platform.register({ timeoutMs: 60_000 })).rejects.toThrow(waiting);
    await expect(platform.register({ acceptConnected: true, timeoutMs: 60_000 })).rejects.toThrow(
      waiting,
    );
    const { failed } = await platform.apply({ wait: true, timeoutMs: 60_000 });
    expect(failed).toMatchObject([{ id: IMPORT, message: expect.stringMatching(waiting) }]);
    expect(platform.dc1.has('v1', 'Secret', 'cattle-credentials-first', 'cattle-system')).toBe(
      true,
    );
  });
});
