import { Size } from 'cdk8s';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { textReport } from '../../../src/core/rule/report';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { Disk } from '../../../src/harvester/machine/disk';
import { RESOURCE_QUOTA_RULES } from '../../../src/harvester/resource-quota/resource-quota.rules';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { Cpu } from '../../../src/rancher/quota/cpu';
import { machineConfig, guest, pool } from '../../support/guest';
import { machine } from '../../support/machines';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { HARVESTER, Tenancy, findingsOf, project, tenant } from '../../support/tenancy';

/**
 * A machine of 2 CPUs and 4 GiB takes 4797464313 bytes and 2.015 CPUs, as measured on Harvester
 * 1.7.0.
 */
const MEASURED = 4797464313;
const LEAST = 4 * 1024 ** 3 + (218 + 16) * 1024 ** 2 + 60_000_000;

const own = (limit: object) => ({ 'field.cattle.io/resourceQuota': JSON.stringify({ limit }) });
const vms = (limit: object): Manifest => tenant('vms', undefined, own(limit));
const vm = (
  name = 'web',
  { cpu = '2', memory = '4Gi', spec = {}, devices = {}, annotations = {} } = {},
): Manifest => {
  const made = machine(name, {
    spec,
    devices,
    annotations,
    domain: { cpu: { cores: Number(cpu) }, resources: { limits: { cpu, memory } } },
  });
  return { ...made, metadata: { ...made.metadata, namespace: 'vms' } };
};
const config = (fields: object = {}): Manifest =>
  machineConfig({ vmNamespace: 'vms', cpuCount: '2', memorySize: '4', ...fields });
const cluster = (fields: object = {}): Manifest =>
  guest({ machinePools: [pool({ quantity: 3, ...fields })] });

const told = (tenancy: Tenancy): string[] =>
  findingsOf('quota/fits', tenancy)
    .map(({ level, path, value }) =>
      `${level} ${path.replace(/^.*limit\./, '')} ${value ?? ''}`.replace(/"/g, '').trim(),
    )
    .sort();
const limits = (limit: object, ...harvester: Manifest[]): string[] =>
  told({ harvester: [vms(limit), ...harvester] });

describe('virtual machines in the quota of their namespace', () => {
  test.each([
    [{ limitsMemory: String(MEASURED) }, []],
    [{ limitsMemory: String(MEASURED - 1) }, ['warning limitsMemory 4797464312']],
    [{ limitsMemory: String(LEAST) }, [`warning limitsMemory ${LEAST}`]],
    [{ limitsMemory: String(LEAST - 1) }, [`error limitsMemory ${LEAST - 1}`]],
    [{ limitsMemory: '4Gi' }, ['error limitsMemory 4Gi']],
    [{ limitsCpu: '2015m' }, []],
    [{ limitsCpu: '2014m' }, ['error limitsCpu 2014m']],
    [{ requestsStorage: '10Gi', persistentVolumeClaims: '1' }, []],
    [
      { requestsStorage: '9Gi', persistentVolumeClaims: '0' },
      ['error persistentVolumeClaims 0', 'error requestsStorage 9Gi'],
    ],
    [{ extended: { 'count/virtualmachines.kubevirt.io': '1' } }, []],
    [
      { extended: { 'count/virtualmachines.kubevirt.io': '0' } },
      ['error extended.count/virtualmachines.kubevirt.io 0'],
    ],
    [{ configMaps: '0' }, []],
  ])('one machine in %j', (limit, expected) => {
    expect(limits(limit, vm())).toEqual(expected);
  });

  test.each([
    ['2', 'without one too many', []],
    ['1', 'with one too many', ['error extended.count/virtualmachines.kubevirt.io 1']],
  ])('counts two machines for a quota of %s, %s', (most, _, expected) => {
    expect(
      limits({ extended: { 'count/virtualmachines.kubevirt.io': most } }, vm('a'), vm('b')),
    ).toEqual(expected);
  });

  test('names the machines, what they need and what the server reports', () => {
    const [{ message, fix }] = findingsOf('quota/fits', {
      harvester: [vms({ limitsMemory: '4Gi' }), vm()],
    });
    expect(message).toBe(
      'must be at least 4.47Gi for VirtualMachine vms/web (4.47Gi) (the server: "memory insufficient resources due to resource quota")',
    );
    expect(fix).toContain('set it to 4.47Gi or more');
  });

  test('needs room for a second pod where Harvester does not raise the quota for a migration', () => {
    expect(limits({ pods: '1' }, vm())).toEqual(['warning pods 1']);
    expect(limits({ pods: '2' }, vm())).toEqual([]);
    expect(
      limits(
        { pods: '1' },
        vm('gpu', { devices: { gpus: [{ name: 'a', deviceName: 'nvidia.com/A2' }] } }),
      ),
    ).toEqual([]);
  });

  test.each([
    { runStrategy: 'Halted' },
    { runStrategy: 'Manual' },
    { runStrategy: undefined, running: false },
  ])('counts only the volumes of a machine that does not run: %j', (spec) => {
    expect(
      limits({ limitsMemory: '1Gi', limitsCpu: '1', requestsStorage: '1Gi' }, vm('off', { spec })),
    ).toEqual(['error requestsStorage 1Gi']);
  });

  test('counts a volume once that is declared and that a machine creates', () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'web-a', namespace: 'vms' },
      spec: { resources: { requests: { storage: '10Gi' } } },
    };
    expect(limits({ persistentVolumeClaims: '1', requestsStorage: '10Gi' }, vm(), claim)).toEqual(
      [],
    );
  });

  test('adds a TPM and passed-through devices', () => {
    const memory = (parts: object): number => {
      const [{ message }] = findingsOf('quota/fits', {
        harvester: [vms({ limitsMemory: '1Mi' }), vm('x', parts)],
      });
      return Number(/at least (\d+)Mi/.exec(message)![1]);
    };
    // 53 MiB times 1.5
    expect(memory({ devices: { tpm: {} } }) - memory({})).toBe(79);
    expect(memory({ devices: { hostDevices: [{ name: 'a', deviceName: 'x' }] } })).toBeGreaterThan(
      memory({}) + 1500,
    );
  });

  test('adds the pod that attaches volumes of a running machine', () => {
    const made = vm();
    const spec = {
      template: {
        spec: {
          volumes: [
            { name: 'a', persistentVolumeClaim: { claimName: 'web-a', hotpluggable: true } },
          ],
        },
      },
    };
    const instance = (made.spec as any).template.spec;
    const hot = {
      ...made,
      spec: {
        ...(made.spec as object),
        template: { spec: { ...instance, ...spec.template.spec } },
      },
    };
    expect(limits({ limitsCpu: '2115m', pods: '4' }, hot)).toEqual([]);
    expect(limits({ limitsCpu: '2114m', pods: '1' }, hot)).toEqual([
      'warning limitsCpu 2114m',
      'warning pods 1',
    ]);
  });

  test('leaves out the console log of a machine without one', () => {
    expect(limits({ limitsCpu: '2' }, vm('x', { devices: { logSerialConsole: false } }))).toEqual(
      [],
    );
  });
});

describe('the settings of the Harvester', () => {
  const setting = (name: string, value: string): Manifest => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name },
    value,
  });

  test('decide about requests, which are certain only if they are declared', () => {
    expect(limits({ requestsCpu: '100m' }, vm(), vm('b'))).toEqual(['warning requestsCpu 100m']);
    const overcommit = setting('overcommit-config', '{"cpu":100,"memory":100,"storage":200}');
    expect(limits({ requestsCpu: '2', requestsMemory: '4Gi' }, vm(), overcommit)).toEqual([
      'error requestsCpu 2',
      'error requestsMemory 4Gi',
    ]);
  });

  test('decide about the overhead', () => {
    const ratio = setting('additional-guest-memory-overhead-ratio', '4.5');
    expect(limits({ limitsMemory: '5682461313' }, vm(), ratio)).toEqual([]);
    expect(limits({ limitsMemory: String(MEASURED) }, vm(), ratio)).toEqual([
      `error limitsMemory ${MEASURED}`,
    ]);
  });
});

describe('machine pools', () => {
  const SCALED = { quantity: undefined, autoscalingMinSize: 1, autoscalingMaxSize: 3 };
  const pools = (limit: object, fields: object = {}, configFields: object = {}) =>
    told({ rancher: [config(configFields), cluster(fields)], harvester: [vms(limit)] });

  test.each([
    ['8060m', {}, []],
    ['8059m', {}, ['warning limitsCpu 8059m']],
    ['6045m', {}, ['warning limitsCpu 6045m']],
    ['6044m', {}, ['error limitsCpu 6044m']],
    ['6045m', { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }, []],
    ['8060m', { rollingUpdate: { maxSurge: '34%' } }, ['warning limitsCpu 8060m']],
    ['10075m', { rollingUpdate: { maxSurge: '34%' } }, []],
    ['0', { quantity: 0 }, []],
    ['2015m', SCALED, ['warning limitsCpu 2015m']],
    ['8060m', SCALED, []],
    ['2014m', SCALED, ['error limitsCpu 2014m']],
  ])('three machines of 2 CPUs in %s with %j', (limitsCpu, fields, expected) => {
    expect(pools({ limitsCpu }, fields)).toEqual(expected);
  });

  test('counts the volumes of machines', () => {
    const diskInfo = JSON.stringify({
      disks: [
        { imageName: 'vms/noble', size: 40, bootOrder: 1 },
        { storageClassName: 'harvester-longhorn', size: 10 },
      ],
    });
    expect(
      pools({ requestsStorage: '200Gi', persistentVolumeClaims: '8' }, {}, { diskInfo }),
    ).toEqual([]);
    expect(
      pools({ requestsStorage: '199Gi', persistentVolumeClaims: '7' }, {}, { diskInfo }),
    ).toEqual(['warning persistentVolumeClaims 7', 'warning requestsStorage 199Gi']);
    expect(
      pools({ requestsStorage: '149Gi', persistentVolumeClaims: '5' }, {}, { diskInfo }),
    ).toEqual(['error persistentVolumeClaims 5', 'error requestsStorage 149Gi']);
  });

  test('share a quota with virtual machines', () => {
    expect(
      told({
        rancher: [config(), cluster({ rollingUpdate: { maxSurge: 0 } })],
        harvester: [vms({ limitsCpu: '8059m' }), vm()],
      }),
    ).toEqual(['error limitsCpu 8059m']);
  });

  test('in another namespace, or without a quota, have no finding', () => {
    expect(pools({ limitsCpu: '1' }, {}, { vmNamespace: 'other' })).toEqual([]);
    expect(told({ rancher: [config(), cluster()], harvester: [tenant('vms')] })).toEqual([]);
  });
});

describe('the quota of a project', () => {
  const limited = (whole: object, namespaceDefault: object): Manifest =>
    project('payments', {
      resourceQuota: { limit: whole },
      namespaceDefaultResourceQuota: { limit: namespaceDefault },
    });

  test('is compared with the machines of all its namespaces, and its default with those of one', () => {
    const b = { ...vm('b'), metadata: { ...vm('b').metadata, namespace: 'more' } };
    const tenancy = (whole: string, one: string) =>
      told({
        rancher: [limited({ limitsCpu: whole }, { limitsCpu: one })],
        harvester: [tenant('vms'), tenant('more'), vm(), b],
      });
    expect(tenancy('4030m', '2015m')).toEqual([]);
    expect(tenancy('4029m', '2014m')).toEqual(['error', 'error', 'error limitsCpu 4029m']);
    const [finding] = findingsOf('quota/fits', {
      rancher: [limited({ limitsCpu: '3' }, { limitsCpu: '1' })],
      harvester: [tenant('vms'), vm()],
    }).filter(({ object }) => object?.kind === 'Namespace');
    expect(finding.message).toContain(
      'Namespace vms on dc1 has limitsCpu 1, the default of its project: it must be at least 2.015',
    );
  });

  test('limits only what its default names', () => {
    expect(
      told({
        rancher: [limited({ pods: '9' }, { pods: '9' })],
        harvester: [vms({ limitsCpu: '1' }), vm()],
      }),
    ).toEqual([]);
  });
});

describe('a ResourceQuota of Kubernetes', () => {
  const quota = (hard: object, spec: object = {}, labels: object = {}): Manifest => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'vms', labels: labels as { [key: string]: string } },
    spec: { hard, ...spec },
  });
  const hard = (limit: object, ...rest: object[]): string[] =>
    findingsOf('quota/fits', { harvester: [quota(limit, ...rest), vm()] }).map(
      ({ level, path }) => `${level} ${path}`,
    );

  test.each([
    [
      { 'count/virtualmachines.kubevirt.io': '0' },
      ['error spec.hard[count/virtualmachines.kubevirt.io]'],
    ],
    [
      { 'limits.cpu': '2', 'persistentvolumeclaims': 0 },
      ['error spec.hard[limits.cpu]', 'error spec.hard[persistentvolumeclaims]'],
    ],
    // Harvester raises only the quota that Rancher wrote
    [{ 'limits.cpu': '2015m' }, ['warning spec.hard[limits.cpu]']],
    [{ 'limits.cpu': '4030m', 'count/virtualmachines.kubevirt.io': '1', 'count/pods': '2' }, []],
  ])('%j', (limit, expected) => {
    expect(hard(limit)).toEqual(expected);
  });

  test('for other pods, or from an annotation that is judged itself, is left out', () => {
    expect(hard({ pods: '0' }, { scopes: ['BestEffort'] })).toEqual([]);
    expect(
      hard(
        { pods: '0' },
        {},
        { 'resourcequota.management.cattle.io/default-resource-quota': 'true' },
      ),
    ).toEqual([]);
  });
});

describe('manifests for clusters that are not known', () => {
  const judged = (target: JudgedTarget): string[] =>
    judge(
      RESOURCE_QUOTA_RULES,
      new World(
        [vms({ limitsCpu: '6' }), config(), cluster()].map((manifest) => ({ manifest, target })),
      ),
    ).map(({ level, object }) => `${level} ${object?.kind}`);

  test('are taken together', () => {
    expect(judged({ name: 'input' })).toEqual(['error Namespace']);
  });

  test('are not, if the namespace is one of Rancher', () => {
    expect(judged({ name: 'rancher', kind: 'rancher' })).toEqual([]);
  });

  test('leave out virtual machines of guest clusters', () => {
    const onGuest = (target: JudgedTarget) =>
      judge(
        RESOURCE_QUOTA_RULES,
        new World([vms({ limitsCpu: '1' }), vm()].map((manifest) => ({ manifest, target }))),
      ).length;
    expect([
      onGuest({ name: 'shop', kind: 'guest' }),
      onGuest({ name: 'dc1', kind: 'harvester' }),
    ]).toEqual([0, 1]);
  });
});

test('reports a live quota at the machine that does not fit', () => {
  const on = (...manifests: Manifest[]) =>
    manifests.map((manifest) => ({ manifest, target: HARVESTER }));
  const findings = judge(RESOURCE_QUOTA_RULES, new World(on(vm()), on(vms({ limitsCpu: '1' }))));
  expect(findings.map(({ level, path, object }) => [level, path, object?.kind])).toEqual([
    ['error', '', 'VirtualMachine'],
  ]);
  expect(findings[0].message).toContain(
    'Namespace vms on dc1 has limitsCpu 1: it must be at least 2.015',
  );
});

test('finds all quotas of a project that are too small for its machines as one cause, at their props', () => {
  const app = newApp();
  const [rancher, dc1] = [newRancher(app), newHarvester(app)];
  const harvester = new HarvesterImport(rancher, 'import', {
    harvester: dc1,
    clusterId: ClusterId.fixed('c-m-harvdc01'),
    registrationToken: TokenSource.secret(),
  });
  const shop = new TenantProject(rancher, 'shop', {
    cluster: harvester,
    quota: { limitsCpu: Cpu.units(2), limitsMemory: Size.gibibytes(4) },
    tenantNamespaces: [{ name: 'shop' }],
  });
  new VirtualMachine(dc1, 'web', {
    namespace: shop.declaredNamespace('shop'),
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.empty(Size.gibibytes(10))],
  });
  const findings = app.validate().filter(({ rule }) => rule === 'quota/fits');
  expect(findings.map(({ cause }) => cause)).toEqual(
    Array(4).fill('quotas of Project c-m-harvdc01/shop are too small for its machines'),
  );
  expect(findings.flatMap(({ prop }) => prop ?? [])).toEqual([
    'quota.limitsCpu',
    'quota.limitsMemory',
  ]);
  expect(textReport(findings)).toMatch(
    /quota\.limitsCpu: must be at least 4\.0\d+ for .*, got "2"/,
  );
  expect(textReport(findings)).toMatch(/\n1 error, 0 warnings, from 4 findings$/);
});

test('finds the quota of a namespace at its prop', () => {
  const app = newApp();
  const [rancher, dc1] = [newRancher(app), newHarvester(app)];
  const harvester = new HarvesterImport(rancher, 'import', {
    harvester: dc1,
    clusterId: ClusterId.fixed('c-m-harvdc01'),
    registrationToken: TokenSource.secret(),
  });
  const quota = { limitsCpu: Cpu.units(16), limitsMemory: Size.gibibytes(64) };
  const shop = new TenantProject(rancher, 'shop', {
    cluster: harvester,
    quota,
    tenantNamespaces: [{ name: 'web', quota: { limitsCpu: Cpu.units(1) } }],
  });
  new VirtualMachine(dc1, 'web', {
    namespace: shop.declaredNamespace('web'),
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.empty(Size.gibibytes(10))],
  });
  expect(
    app
      .validate()
      .filter(({ rule }) => rule === 'quota/fits')
      .flatMap(({ prop }) => prop ?? []),
  ).toEqual(['tenantNamespaces[web].quota.limitsCpu']);
});
