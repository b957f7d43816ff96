import { ApiObject, Duration } from 'cdk8s';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { AssemblyObject } from '../../../src/core/output/assembly';
import { APPLY_SET, appOf, applySetId } from '../../../src/engine/fields/apply-set';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { RunEvent, RunSummary } from '../../../src/engine/run/context/events';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { tempFolder } from '../../support/temp';
import { ObjectRef } from '../client';
import { describeCluster } from '../clusters';
import { Chaos, DECLARED } from '../doubles/chaos';
import { CliEnd } from '../doubles/cli-process';
import { Platform } from '../doubles/platform';
import { writeObjects } from '../doubles/program';

/** Another seed, to look for what these do not find. */
const SEEDS = process.env.CDK8S_HARVESTER_TEST_SEED?.split(',') ?? ['1', '2', '4'];

/** Settings with and without a controller that carries them out. */
const SETTINGS = ['max-hotplug-ratio', 'support-bundle-timeout'];

/** How long one object is waited for while the server is not calm. */
const IMPATIENT = ['--timeout', '5'];

/** Longer than Kubernetes takes for a Namespace, so that only what hangs is named. */
const NAMESPACE_GONE_S = 12;

describeCluster(
  'a server on which any object may never become ready, be slow, or be rewritten',
  () => {
    const folder = tempFolder();
    let platform: Platform;
    let chaos: Chaos;

    beforeAll(async () => {
      platform = await Platform.start();
      chaos = new Chaos(platform, SETTINGS);
      await chaos.seed();
      chaos.start();
    });
    afterAll(async () => {
      await chaos?.close();
      await platform?.stop();
    });

    test.each(SEEDS)(
      'reports correctly in every command, with seed %s (CDK8S_HARVESTER_TEST_SEED)',
      async (seed) => {
        const name = `chaos-${seed.toLowerCase()}`;
        const program = (extras: boolean): string => writeChaos(folder, name, extras);
        chaos.begin(seed, name);
        const server = new Truth(platform, chaos, name);
        platform.rancher.connected.add(server.clusterId);
        const run = async (command: string, dist: string, ...args: string[]): Promise<CliEnd> =>
          platform.cli(command, dist, '--app', name, ...args);

        // everything is declared; some of it never becomes ready
        const dist = program(true);
        await server.expectApplied(
          dist,
          await run('apply', dist, '--wait', '--output', 'json', ...IMPATIENT),
        );
        await server.expectStatus(dist, await run('status', dist, '--output', 'json'));

        // some of it is no longer declared
        const less = program(false);
        const before = await server.uids(less);
        const second = await run('apply', less, '--output', 'json', ...IMPATIENT);
        await server.expectPruned(dist, less, second);
        await server.expectConflicts(less, second);
        expect(await server.uids(less)).toMatchObject(before);
        await server.expectStatus(less, await run('status', less, '--output', 'json'));

        // the server recovers: the same apply goes through, and nothing was lost on the way
        await chaos.becomeCalm();
        const calm = await run('apply', less, '--wait', '--timeout', '600', '--output', 'json');
        expect(failureOf(calm)).toBe('');
        await server.expectPruned(dist, less, calm);
        expect(await server.uids(less)).toMatchObject(before);
        await server.expectStatus(less, await run('status', less, '--output', 'json'));
        expect(failureOf(await run('apply', less, '--wait'))).toBe('');

        // faults again: objects that hang are reported, and all others are deleted
        chaos.calm = false;
        await server.expectDestroyed(
          less,
          await run(
            'destroy',
            less,
            '--yes',
            '--output',
            'json',
            '--timeout',
            String(NAMESPACE_GONE_S),
          ),
        );
        await chaos.becomeCalm();
        const last = await run('destroy', less, '--yes', '--timeout', '600', '--output', 'json');
        expect(failureOf(last)).toBe('');
        await server.expectDestroyed(less, last);
        expect(await server.leftovers()).toEqual([]);
      },
    );
  },
);

/** What the servers really have, without asking the engine. */
class Truth {
  public readonly clusterId: string;

  public constructor(
    private readonly platform: Platform,
    private readonly chaos: Chaos,
    private readonly name: string,
  ) {
    this.clusterId = `c-m-${name}`;
  }

  public async expectApplied(dist: string, end: CliEnd): Promise<void> {
    const states = lastStates(end);
    const wrong: string[] = [];
    for (const object of objectsOf(dist)) {
      const [there, reported] = [await this.isThere(object), states.get(object.id)];
      const ifThere = this.chaos.isStuck(refOf(object)) ? 'failed' : 'ready';
      const ifMissing = reported === 'skipped' ? 'skipped' : 'failed';
      const right = there ? ifThere : ifMissing;
      if (reported !== right) {
        wrong.push(`${object.id} is ${right}, reported ${String(reported)}`);
      }
    }
    const allReady = [...states.values()].every((state) => state === 'ready');
    expect({ wrong, exitCode: end.exitCode, why: whyOf(end, wrong) }).toEqual({
      wrong: [],
      exitCode: allReady ? 0 : 1,
      why: [],
    });
  }

  public async expectStatus(dist: string, end: CliEnd): Promise<void> {
    const { targets } = JSON.parse(end.stdout) as {
      targets: { objects: { id: string; state: string }[] }[];
    };
    const states = new Map(
      targets.flatMap(({ objects }) => objects).map(({ id, state }) => [id, state]),
    );
    const wrong: string[] = [];
    let all = true;
    for (const object of objectsOf(dist)) {
      const there = await this.isThere(object);
      const ready = there && !this.chaos.isStuck(refOf(object));
      all &&= ready;
      const state = states.get(object.id)!;
      if ((state === 'ready') !== ready || (state === 'missing') === there) {
        wrong.push(
          `${object.id} is reported ${state}, it is ${there ? '' : 'not '}there and ${ready ? '' : 'not '}ready`,
        );
      }
    }
    expect({ wrong, exitCode: end.exitCode }).toEqual({ wrong: [], exitCode: all ? 0 : 3 });
  }

  /** What is no longer declared is gone where it was reported so, and there where it was not. */
  public async expectPruned(dist: string, less: string, end: CliEnd): Promise<void> {
    const declared = new Set(objectsOf(less).map(({ id }) => id));
    await this.expectGone(
      objectsOf(dist).filter(({ id }) => !declared.has(id)),
      end,
    );
  }

  /** A value that another program wrote is not taken from it. */
  public async expectConflicts(dist: string, end: CliEnd): Promise<void> {
    const states = lastStates(end);
    for (const object of objectsOf(dist).filter((each) => each.kind === 'ConfigMap')) {
      const { status, body } = await this.read(object);
      const isOverwritten = status === 200 && body.data.value === 'overwritten';
      if (isOverwritten) {
        expect([object.id, states.get(object.id)]).toEqual([object.id, 'failed']);
      }
    }
  }

  public async expectDestroyed(dist: string, end: CliEnd): Promise<void> {
    await this.expectGone(objectsOf(dist), end);
  }

  public async uids(dist: string): Promise<{ [id: string]: string }> {
    const uidOf = async (object: AssemblyObject): Promise<string | undefined> =>
      (await this.read(object)).body?.metadata?.uid;
    const found = await Promise.all(
      objectsOf(dist).map(async (object) => [object.id, await uidOf(object)] as const),
    );
    return Object.fromEntries(found.filter(([, uid]) => uid !== undefined)) as {
      [id: string]: string;
    };
  }

  /** Objects of the app, by its label, and what it remembers of itself. */
  public async leftovers(): Promise<string[]> {
    const app = appOf(this.name);
    const found: string[] = [];
    for (const [target, kinds] of Object.entries({
      harvester: HARVESTER_KINDS,
      rancher: RANCHER_KINDS,
    }) as [keyof Platform['clients'], readonly (readonly [string, string])[]][]) {
      for (const [apiVersion, kind] of kinds) {
        const { body } = await this.platform.clients[target].list(apiVersion, kind);
        const items = body.items as {
          metadata: { name: string; namespace?: string; labels?: { [label: string]: string } };
        }[];
        const ours = items.filter(
          ({ metadata }) =>
            metadata.labels?.[APPLY_SET.PART_OF] === applySetId(app) ||
            metadata.name === `cdk8s-harvester-${this.name}` ||
            metadata.namespace === this.name,
        );
        found.push(...ours.map(({ metadata }) => `${kind} ${metadata.name}`));
      }
    }
    return found;
  }

  /**
   * Objects that are reported as deleted are gone; existing objects are reported as failed,
   * skipped, kept, or pending.
   */
  private async expectGone(objects: readonly AssemblyObject[], end: CliEnd): Promise<void> {
    const states = lastStates(end);
    const { failed, skipped, pending, kept = [] } = summaryOf(end);
    const wrong: string[] = [];
    for (const object of objects) {
      const reported =
        states.get(object.id) ?? (pending.includes(object.id) ? 'pending' : 'nothing');
      const gone =
        object.kind === 'Setting' ? await this.isReset(object) : !(await this.isThere(object));
      // what a next run looks at once more may be gone, or may never have come to be
      if (reported === 'pending') {
        continue;
      }
      // a Setting is never deleted; after its reset it is like any other that this app has not
      // applied
      const right =
        ['deleted', 'reset', 'nothing', ...(object.kind === 'Setting' ? ['kept'] : [])].includes(
          reported,
        ) === gone;
      if (!right) {
        wrong.push(`${object.id} is ${gone ? '' : 'not '}gone, reported ${reported}`);
      }
    }
    const ifDone = kept.length > 0 ? 3 : 0;
    const exitCode = failed.length + skipped.length + pending.length > 0 ? 1 : ifDone;
    expect({ wrong, exitCode: end.exitCode, why: whyOf(end, wrong) }).toEqual({
      wrong: [],
      exitCode,
      why: [],
    });
  }

  /** Its value is gone, and Harvester has carried that out. */
  private async isReset(object: AssemblyObject): Promise<boolean> {
    const { body } = await this.read(object);
    return !body.value && !this.chaos.isStuck(refOf(object));
  }

  private async isThere(object: AssemblyObject): Promise<boolean> {
    return (await this.read(object)).status === 200;
  }

  private async read(object: AssemblyObject): ReturnType<Platform['clients']['rancher']['read']> {
    return this.platform.clients[object.target === 'rancher' ? 'rancher' : 'harvester'].read(
      refOf(object),
    );
  }
}

function refOf({ apiVersion, kind, name, namespace }: AssemblyObject): ObjectRef {
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } };
}

function objectsOf(dist: string): readonly AssemblyObject[] {
  return loadAssembly(dist).assembly.objects;
}

const FINAL: readonly string[] = ['ready', 'failed', 'skipped', 'deleted', 'reset', 'kept'];

/** How each object ended, as the events of a command say. */
function lastStates({ stdout, stderr }: CliEnd): Map<string, string> {
  if (stdout === '') {
    throw new Error(`the command could not begin: ${stderr}`);
  }
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
  return new Map(
    events.flatMap((event) =>
      event.type === 'node' && FINAL.includes(event.state)
        ? [[event.id, event.state] as const]
        : [],
    ),
  );
}

function summaryOf({ stdout }: CliEnd): RunSummary {
  return (JSON.parse(stdout.trim().split('\n').at(-1)!) as Extract<RunEvent, { type: 'end' }>)
    .summary;
}

/** The output of a command about objects that it reports wrongly. */
function whyOf({ stdout, stderr }: CliEnd, wrong: readonly string[]): string[] {
  return `${stdout}${stderr}`
    .split('\n')
    .filter(
      (line) =>
        !line.includes('"type":"end"') &&
        wrong.some((text) => line.includes(`"${text.split(' ')[0]}"`)),
    );
}

function failureOf({ exitCode, stdout, stderr }: CliEnd): string {
  return exitCode === 0 ? '' : `exit code ${String(exitCode)}\n${stdout}${stderr}`;
}

const HARVESTER_KINDS = [
  ['v1', 'Namespace'],
  ['v1', 'ConfigMap'],
  ['harvesterhci.io/v1beta1', 'KeyPair'],
  ['harvesterhci.io/v1beta1', 'VirtualMachineImage'],
  ['harvesterhci.io/v1beta1', 'Setting'],
  ['loadbalancer.harvesterhci.io/v1beta1', 'IPPool'],
  ['k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition'],
] as const;
const RANCHER_KINDS = [
  ['provisioning.cattle.io/v1', 'Cluster'],
  ['management.cattle.io/v3', 'Project'],
  ['management.cattle.io/v3', 'ProjectRoleTemplateBinding'],
  ['management.cattle.io/v3', 'RoleTemplate'],
  ['management.cattle.io/v3', 'User'],
  ['v1', 'ConfigMap'],
] as const;

/** Objects of all kinds whose controllers the doubles have, some after others are ready. */
function writeChaos(folder: string, name: string, extras: boolean): string {
  return writeObjects(folder, `${name}-${extras ? 'all' : 'less'}`, (dc1, rancher) => {
    type Chart = typeof dc1 | typeof rancher;
    const on = (
      scope: Chart,
      apiVersion: string,
      kind: string,
      object: string,
      fields: object = {},
      namespace = name,
    ): ApiObject =>
      new ApiObject(scope, `${kind}-${object}`.toLowerCase(), {
        apiVersion,
        kind,
        metadata: { name: object, ...(namespace ? { namespace } : {}) },
        ...fields,
      });
    const cluster = (
      apiVersion: string,
      kind: string,
      object: string,
      fields: object = {},
    ): ApiObject => on(dc1, apiVersion, kind, object, fields, '');
    const map = (object: string, ...after: ApiObject[]): ApiObject => {
      const made = on(dc1, 'v1', 'ConfigMap', object, { data: { value: DECLARED } });
      after.forEach((other) => Ordering.of(made).after(other, OrderingType.READY));
      return made;
    };
    cluster('v1', 'Namespace', name);
    const keys = ['ana', 'ben'].map((key) =>
      on(dc1, 'harvesterhci.io/v1beta1', 'KeyPair', key, { spec: { publicKey: KEY } }),
    );
    const network = on(dc1, 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'net', {
      spec: {
        config: JSON.stringify({
          cniVersion: '0.3.1',
          name: 'net',
          type: 'bridge',
          bridge: 'mgmt-br',
          promiscMode: true,
          vlan: 100,
          ipam: {},
        }),
      },
    });
    const pool = cluster('loadbalancer.harvesterhci.io/v1beta1', 'IPPool', name, {
      spec: {
        ranges: [
          {
            subnet: '10.99.0.0/24',
            rangeStart: '10.99.0.10',
            rangeEnd: '10.99.0.20',
            gateway: '10.99.0.1',
          },
        ],
        selector: {
          network: `${name}/net`,
          scope: [{ namespace: name, project: '*', guestCluster: '*' }],
        },
      },
    });
    Ordering.of(pool).after(network, OrderingType.APPLIED);
    const image = on(dc1, 'harvesterhci.io/v1beta1', 'VirtualMachineImage', 'image', {
      spec: {
        displayName: 'image',
        sourceType: 'download',
        url: 'https://images.example.com/a.img',
      },
    });
    HarvesterSetting.maxHotplugRatio(dc1, 'hotplug', 3);
    HarvesterSetting.supportBundleTimeout(dc1, 'support', Duration.minutes(40));
    map('after-key', keys[0]);
    map('after-image', image);
    ['one', 'two', 'three'].forEach((object) => map(object));
    if (extras) {
      map('extra-after-pool', pool);
      ['extra-one', 'extra-two', 'extra-three'].forEach((object) => map(object));
      on(dc1, 'harvesterhci.io/v1beta1', 'KeyPair', 'extra', { spec: { publicKey: KEY } });
    }

    const id = `c-m-${name}`;
    const noCreator = { 'field.cattle.io/no-creator-rbac': 'true' };
    const imported = new ApiObject(rancher, 'cluster', {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: {
        name,
        namespace: 'fleet-default',
        annotations: { ...noCreator, 'provisioning.cattle.io/management-cluster-name': id },
      },
      ...{ spec: {} },
    });
    const project = new ApiObject(rancher, 'project', {
      apiVersion: 'management.cattle.io/v3',
      kind: 'Project',
      metadata: { name: 'web', namespace: id, annotations: noCreator },
      ...{ spec: { clusterName: id, displayName: 'web' } },
    });
    Ordering.of(project).after(imported, OrderingType.APPLIED);
    const member = on(
      rancher,
      'management.cattle.io/v3',
      'ProjectRoleTemplateBinding',
      'ana',
      {
        projectName: `${id}:web`,
        roleTemplateName: 'project-member',
        userPrincipalName: `local://u-${name}`,
      },
      `${id}-web`,
    );
    Ordering.of(member).after(project, OrderingType.APPLIED);
    on(rancher, 'management.cattle.io/v3', 'User', `u-${name}`, { username: name }, '');
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const base = on(
      rancher,
      'management.cattle.io/v3',
      'RoleTemplate',
      `base-${name}`,
      { context: 'project', displayName: 'base', rules },
      '',
    );
    const more = on(
      rancher,
      'management.cattle.io/v3',
      'RoleTemplate',
      `a-${name}`,
      { context: 'project', displayName: 'more', rules, roleTemplateNames: [`base-${name}`] },
      '',
    );
    Ordering.of(more).after(base, OrderingType.APPLIED);
  });
}

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example.com';
