import { Manifest } from '../../../src/core/manifest/manifest';
import { limitsOf } from '../../../src/core/shape/limits';
import { knownKinds, readShape } from '../../../src/core/shape/shape-node';
import { SHAPE_RULES } from '../../../src/core/shape/shape.rules';
import { VALIDATIONS } from '../../../src/core/shape/validations.data';
import { ALL_KINDS } from '../../../src/registry/all-kinds';
import { judgeOn, Judging } from '../../support/judging';

const RULES = 'x-kubernetes-validations';

/** All limits in the shapes, by the kind. */
const BY_KIND = new Map(
  [...knownKinds()].map(([name, { versions }]) => {
    const limits: { readonly [keyword: string]: unknown }[] = [];
    for (const { file } of versions) {
      JSON.stringify(readShape(file), function collect(this: any, key, value) {
        // a field may have that name as well
        if (
          key === 'limits' &&
          ['type', 'fields', 'map', 'list'].some((structure) => structure in this)
        ) {
          limits.push(value);
        }
        return value;
      });
    }
    return [name, limits] as const;
  }),
);
const LIMITS = [...BY_KIND.values()].flat();
const rulesIn = (limits: typeof LIMITS) =>
  limits
    .flatMap((each) => (each[RULES] ?? []) as readonly { readonly rule: string }[])
    .map(({ rule }) => rule);

function object(what: string, spec: object): Manifest {
  const [apiVersion, kind] = what.split(' ');
  return { apiVersion, kind, metadata: { name: 'one', namespace: 'fleet-default' }, spec };
}

const OIDC = (spec: object) =>
  object('management.cattle.io/v3 OIDCClient', {
    redirectURIs: ['https://a'],
    tokenExpirationSeconds: 600,
    refreshTokenExpirationSeconds: 600,
    ...spec,
  });
const DRIVER = (spec: object) =>
  object('management.cattle.io/v3 NodeDriver', { displayName: 'a', ...spec });
const POOL = (pool: object) =>
  object('provisioning.cattle.io/v1 Cluster', {
    rkeConfig: {
      machinePools: [
        { name: 'a', machineConfigRef: { kind: 'HarvesterConfig', name: 'a' }, ...pool },
      ],
    },
  });
const NETWORK = (spec: object) =>
  object('network.harvesterhci.io/v1beta1 HostNetworkConfig', {
    clusterNetwork: 'mgmt',
    vlanID: 1,
    mode: 'static',
    ips: { one: '10.0.0.1/24' },
    ...spec,
  });
const SCHEDULE = (spec: object) =>
  object('harvesterhci.io/v1beta1 ScheduleVMBackup', {
    cron: '0 0 * * *',
    vmbackup: { source: { kind: 'VirtualMachine', name: 'a' } },
    ...spec,
  });
const HELM_OP = (spec: object) => object('fleet.cattle.io/v1alpha1 HelmOp', spec);
const TEMPLATE = (volume: object) =>
  object('harvesterhci.io/v1beta1 VirtualMachineTemplateVersion', {
    templateId: 'a',
    vm: {
      spec: {
        template: {
          spec: {
            domain: { devices: {} },
            volumes: [{ name: 'a', containerPath: { path: '/a', ...volume } }],
          },
        },
      },
    },
  });

function lines(manifest: Manifest, judging?: Judging): string[] {
  return judgeOn(SHAPE_RULES, [manifest], judging)
    .filter(({ rule }) => rule === 'object/field-limit')
    .map(
      ({ level, path, message, value }) =>
        `${level} ${path} ${message}${value === undefined ? '' : ` got ${value}`}`,
    );
}

describe('a limit of a definition', () => {
  const path = 'spec.rkeConfig.machinePools[0]';
  const agent = 'spec.clusterAgentDeploymentCustomization';

  test.each<[string, Manifest, string, string]>([
    [
      'a number that is too small',
      OIDC({ tokenExpirationSeconds: 0 }),
      'spec.tokenExpirationSeconds must be 1 or more',
      'spec.tokenExpirationSeconds: Invalid value: 0: spec.tokenExpirationSeconds in body should be greater than or equal to 1',
    ],
    [
      'a number that is too large',
      POOL({ hostnameLengthLimit: 64 }),
      `${path}.hostnameLengthLimit must be 10 to 63`,
      `${path}.hostnameLengthLimit: Invalid value: 64: ${path}.hostnameLengthLimit in body should be less than or equal to 63`,
    ],
    [
      'a number outside of a range',
      SCHEDULE({ retain: 251 }),
      'spec.retain must be 2 to 250',
      'spec.retain in body should be less than or equal to 250',
    ],
    [
      'a text that is too long',
      DRIVER({ displayName: 'ä'.repeat(58) }),
      'spec.displayName must have at most 57 characters: it has 58',
      'spec.displayName: Too long: may not be more than 57 bytes',
    ],
    [
      'a text that is too short',
      POOL({ name: '' }),
      `${path}.name cannot be empty`,
      `${path}.name: Invalid value: "": ${path}.name in body should be at least 1 chars long`,
    ],
    [
      'a text that is not a network',
      object('kubeovn.io/v1 VpcNatGateway', { routes: [{ cidr: '10.20.0.0' }] }),
      'spec.routes[0].cidr must be a CIDR',
      'spec.routes[0].cidr: Invalid value: "10.20.0.0": spec.routes[0].cidr in body must be of type cidr: "10.20.0.0"',
    ],
    [
      'a text of another form',
      DRIVER({ checksum: 'zz' }),
      'spec.checksum must be a checksum of 32 to 128 hexadecimal digits',
      'spec.checksum: Invalid value: "zz": spec.checksum in body should match \'^$|^[a-fA-F0-9]{32,128}$\'',
    ],
    [
      'a list that is too long',
      object('provisioning.cattle.io/v1 Cluster', {
        rkeConfig: {
          machinePools: Array.from({ length: 1001 }, (_, index) => ({
            name: `a${index}`,
            machineConfigRef: {},
          })),
        },
      }),
      'spec.rkeConfig.machinePools must have at most 1000 items: it has 1001',
      'spec.rkeConfig.machinePools: Too many: 1001: must have at most 1000 items',
    ],
    [
      'a map that is too large',
      NETWORK({
        ips: Object.fromEntries(
          Array.from({ length: 501 }, (_, index) => [`a${index}`, '10.0.0.1/24']),
        ),
      }),
      'spec.ips must have at most 500 fields: it has 501',
      'spec.ips: Too many: 501: must have at most 500 items',
    ],
    [
      'a quantity in a map',
      object('provisioning.cattle.io/v1 Cluster', {
        clusterAgentDeploymentCustomization: {
          overrideResourceRequirements: { limits: { cpu: '1 core' } },
        },
      }),
      `${agent}.overrideResourceRequirements.limits.cpu must be a quantity such as 500m or 2Gi`,
      `${agent}.overrideResourceRequirements.limits.cpu in body should match '`,
    ],
  ])('refuses %s, in the words of the server', (_, manifest, message, says) => {
    const found = lines(manifest, { version: '2.15.0' });
    expect(found).toEqual([expect.stringContaining(`error ${message}`)]);
    expect(found[0]).toContain(says);
  });

  test('accepts the limit itself, late values, null, and numbers where a text is limited', () => {
    const late = '${late:a.b}';
    const accepted = [
      OIDC({ tokenExpirationSeconds: 1 }),
      OIDC({ tokenExpirationSeconds: late }),
      POOL({ hostnameLengthLimit: 63 }),
      POOL({ name: late, quantity: null }),
      DRIVER({ displayName: 'ä'.repeat(57) }),
      DRIVER({ checksum: late }),
      DRIVER({ checksum: null }),
      DRIVER({ checksum: '' }),
      object('provisioning.cattle.io/v1 Cluster', {
        clusterAgentDeploymentCustomization: {
          overrideResourceRequirements: { limits: { cpu: 2, memory: '2Gi' } },
        },
      }),
    ];
    expect(accepted.flatMap((manifest) => lines(manifest))).toEqual([]);
  });

  test('is a warning where another version may accept the value, or where the update does not change it', () => {
    const wrong = POOL({ autoscalingMinSize: 2, autoscalingMaxSize: 1 });
    expect(lines(wrong, { version: '2.12.3' })).toEqual([]);
    expect(lines(wrong, { version: '2.13.0' })).toEqual([expect.stringMatching(/^error /)]);
    expect(lines(wrong)).toEqual([expect.stringMatching(/^warning /)]);
    const version = '2.13.8';
    expect(
      lines(DRIVER({ checksum: 'zz' }), { version, before: [DRIVER({ checksum: 'zz' })] }),
    ).toEqual([expect.stringMatching(/^warning /)]);
    expect(
      lines(DRIVER({ checksum: 'zz' }), { version, before: [DRIVER({ checksum: '' })] }),
    ).toEqual([expect.stringMatching(/^error /)]);
  });

  test('is a warning where the version is not known, and may be older than the definitions, unless it has the kind only with them', () => {
    expect(lines(POOL({ hostnameLengthLimit: 64 }))).toEqual([expect.stringMatching(/^warning /)]);
    expect(
      lines(
        NETWORK({
          ips: Object.fromEntries(
            Array.from({ length: 501 }, (_, index) => [`a${index}`, '10.0.0.1/24']),
          ),
        }),
      ),
    ).toEqual([expect.stringMatching(/^error /)]);
  });

  test('is judged by keywords that are all known', () => {
    const limits = LIMITS.flatMap((each) =>
      Object.keys(each).filter(
        (keyword) =>
          keyword !== 'x-kubernetes-validations' &&
          limitsOf({ [keyword]: each[keyword] }) === undefined,
      ),
    );
    expect(LIMITS.length).toBeGreaterThan(100);
    expect(limits).toEqual([]);
  });

  test('with a pattern is judged in a short time, whatever the text', () => {
    const proxy = object('management.cattle.io/v3 ProxyEndpoint', {
      routes: [{ domain: `${'aa.'.repeat(80)}!` }],
    });
    const start = process.cpuUsage();
    expect(lines(proxy, { version: '2.14.0' })).toHaveLength(1);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
    for (const domain of ['*.example.com', 'a.bc', `${'a'.repeat(63)}.io`, '%.amazonaws.com']) {
      const routes = [{ domain }];
      expect({
        domain,
        found: lines(object('management.cattle.io/v3 ProxyEndpoint', { routes }), {
          version: '2.14.0',
        }),
      }).toEqual({ domain, found: [] });
    }
  });
});

describe('a rule of a definition', () => {
  test.each<[string, Manifest, readonly Manifest[]]>([
    [
      'spec.checksum must be an MD5',
      DRIVER({ checksum: 'a'.repeat(33) }),
      [DRIVER({ checksum: 'a'.repeat(32) }), DRIVER({})],
    ],
    [
      'spec.ips must be set for the mode static',
      NETWORK({ ips: {} }),
      [NETWORK({}), NETWORK({ mode: 'dhcp', ips: undefined })],
    ],
    [
      'spec.ips[one] must be a CIDR',
      NETWORK({ ips: { one: '10.0.0.1' } }),
      [NETWORK({ ips: { one: 'fd00::1/64' } }), NETWORK({ ips: { one: '${late:a.b}' } })],
    ],
    [
      'spec.rkeConfig.machinePools[0].autoscalingMinSize must be at least 1 for a pool with the role etcd',
      POOL({ etcdRole: true, autoscalingMinSize: 0, autoscalingMaxSize: 2 }),
      [POOL({ etcdRole: true, autoscalingMinSize: 1, autoscalingMaxSize: 2 })],
    ],
    [
      'spec.rkeConfig.machinePools[0].autoscalingMinSize must be at least 1 for a pool with the role control plane',
      POOL({ controlPlaneRole: true, autoscalingMinSize: 0, autoscalingMaxSize: 2 }),
      [POOL({ workerRole: true, autoscalingMinSize: 0, autoscalingMaxSize: 2 })],
    ],
    [
      'spec.rkeConfig.machinePools[0].autoscalingMinSize must be at most autoscalingMaxSize',
      POOL({ autoscalingMinSize: 3, autoscalingMaxSize: 2 }),
      [POOL({ autoscalingMinSize: 2, autoscalingMaxSize: 2 })],
    ],
    [
      'spec.rkeConfig.machinePools[0] must set both autoscalingMinSize and autoscalingMaxSize',
      POOL({ autoscalingMinSize: 3 }),
      [POOL({}), POOL({ autoscalingMinSize: null })],
    ],
    [
      'spec.pollingInterval must be a duration',
      HELM_OP({ pollingInterval: '5d' }),
      [HELM_OP({ pollingInterval: '1h30m' }), HELM_OP({ pollingInterval: '0' })],
    ],
    [
      'spec.vm.spec.template.spec.volumes[0].containerPath.path must be an absolute path',
      TEMPLATE({ path: 'a' }),
      [TEMPLATE({})],
    ],
    [
      'spec.vm.spec.template.spec.volumes[0].containerPath.path cannot contain two dots',
      TEMPLATE({ path: '/../a' }),
      [TEMPLATE({ path: '/a.b' })],
    ],
    [
      'spec.vm.spec.template.spec.volumes[0].containerPath.readOnly must be true',
      TEMPLATE({ readOnly: false }),
      [TEMPLATE({ readOnly: true })],
    ],
  ])('%s', (message, wrong, right) => {
    const newest = ({ apiVersion }: Manifest): Judging =>
      apiVersion.includes('harvesterhci') ? { kind: 'harvester' } : { version: '2.15.0' };
    expect(lines(wrong, newest(wrong))).toEqual([expect.stringContaining(message)]);
    for (const manifest of right) {
      expect(lines(manifest, newest(manifest))).toEqual([]);
    }
  });

  test('is one that is judged here, or by the immutable fields of its kind', () => {
    expect([...new Set(rulesIn(LIMITS))].sort()).toEqual(Object.keys(VALIDATIONS).sort());
    const elsewhere = [...BY_KIND]
      .filter(([, limits]) => rulesIn(limits).some((rule) => VALIDATIONS[rule] === 'elsewhere'))
      .map(([name]) => name);
    // what only Harvester writes needs no description
    const described = ALL_KINDS.filter(({ group, version, kind }) =>
      elsewhere.includes(`${group}/${version}/${kind}`),
    );
    expect(described.filter(({ immutable }) => !immutable).map(({ kind }) => kind)).toEqual([]);
    expect(described).toHaveLength(3);
  });

  test('is not judged where a value in it has another type: a server does not come that far', () => {
    expect(lines(POOL({ autoscalingMinSize: 'x' }), { version: '2.13.0' })).toEqual([]);
  });
});

describe('numbers that Go reads into an int32', () => {
  const LAST = 2 ** 31 - 1;
  const service = (port: number): Manifest => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'one', namespace: 'default' },
    spec: { ports: [{ port: 80, nodePort: port }] },
  });
  const pool = (quantity: number): Manifest => POOL({ quantity });
  const scaled = (maxUnavailable: number | string): Manifest => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'one', namespace: 'default' },
    spec: { maxUnavailable },
  });

  test.each<[what: string, manifest: Manifest, field: string | undefined]>([
    ['the last number of a kind of Kubernetes', service(LAST), undefined],
    ['the next number', service(LAST + 1), 'spec.ports[0].nodePort'],
    ['the first number', service(-LAST - 1), undefined],
    ['the number before the first', service(-LAST - 2), 'spec.ports[0].nodePort'],
    ['the last number of a definition', pool(LAST), undefined],
    ['the next number of a definition', pool(LAST + 1), 'spec.rkeConfig.machinePools[0].quantity'],
    ['the last number in place of a text', scaled(LAST), undefined],
    ['the next number in place of a text', scaled(LAST + 1), 'spec.maxUnavailable'],
    ['a text in place of a number', scaled('50%'), undefined],
  ])('judges %s', (_, manifest, field) => {
    const found = judgeOn(SHAPE_RULES, [manifest], {
      kind: manifest.kind === 'Cluster' ? 'rancher' : 'guest',
      version: '2.15.0',
    });
    expect(found.map(({ rule, level, path }) => [rule, level, path])).toEqual(
      field === undefined ? [] : [['object/field-limit', 'error', field]],
    );
  });

  test('quotes the decoder', () => {
    const [{ message }] = judgeOn(SHAPE_RULES, [service(LAST + 1)], { kind: 'guest' });
    expect(message).toContain('must be -2147483648 to 2147483647');
    expect(message).toContain(
      'json: cannot unmarshal number 2147483648 into Go struct field spec.ports.nodePort of type int32',
    );
  });
});
