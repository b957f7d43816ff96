import { setTimeout as sleep } from 'node:timers/promises';
import { ApiObject, Size } from 'cdk8s';
import { Manifest } from '../../../src/core/manifest/manifest';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { appOf, withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { PciDeviceClaim, UsbDeviceClaim } from '../../../src/harvester/device/device-claim';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { Disk } from '../../../src/harvester/machine/disk';
import { OverlayNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterNode } from '../../../src/harvester/node/node';
import { OverlaySubnet } from '../../../src/harvester/overlay/overlay-subnet';
import { OverlayVpc } from '../../../src/harvester/overlay/overlay-vpc';
import {
  VirtualMachineTemplate,
  VirtualMachineTemplateVersion,
} from '../../../src/harvester/template/virtual-machine-template';
import { VmRunStrategy } from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { OidcAuthConfig } from '../../../src/rancher/auth/oidc-auth-config';
import { ClusterRepo } from '../../../src/rancher/catalog/cluster-repo';
import { HarvesterUiExtension } from '../../../src/rancher/catalog/harvester-ui-extension';
import { AuthProvider } from '../../../src/rancher/members/principal';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { RancherFeature } from '../../../src/rancher/settings/rancher-feature';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { makePlan } from '../../engine/plan/_planning';
import { fakeTargets } from '../../support/fake-cluster';
import { tempFolder } from '../../support/temp';
import { ClusterKind, clientOf, clusters, describeCluster } from '../clusters';
import { writeObjects } from '../doubles/program';

const APP = appOf('later-commits');
const HARVESTER = 'harvesterhci.io/v1beta1';
const DEVICES = 'devices.harvesterhci.io/v1beta1';
const OVN = 'kubeovn.io/v1';
const MANAGEMENT = 'management.cattle.io/v3';
const SPACE = 'later-commits';

/** What the commits of a program differ in. */
interface Commit {
  /** Whether one prop of each object has another value. */
  readonly changed?: boolean;
  /** Whether the version of the template, which is immutable, has another value. */
  readonly edited?: boolean;
  /** A suffix of the names that a program chooses. */
  readonly name?: string;
  /** The namespace of what has one. */
  readonly namespace?: string;
  /** A suffix of the name of the backup, whose construct keeps its ID. */
  readonly backup?: string;
}

/** Everything of the program but the namespaces, which are always there. */
function declare(
  dc1: HarvesterChart,
  rancher: RancherChart,
  { changed = false, edited = false, name = '', backup = '', namespace: into = SPACE }: Commit,
): void {
  const namespace = HarvesterNamespace.fromName(dc1, 'into', { name: into });
  const template = new VirtualMachineTemplate(dc1, `template${name}`, {
    namespace,
    description: changed ? 'for web servers' : 'for all',
  });
  const machine = { cpus: 1, disks: [Disk.empty(Size.gibibytes(1))], description: 'one' };
  new VirtualMachineTemplateVersion(dc1, `version${name}`, {
    ...machine,
    template,
    isDefault: true,
    memory: Size.gibibytes(edited ? 2 : 1),
  });
  new VirtualMachine(dc1, `machine${name}`, {
    ...machine,
    namespace,
    memory: Size.gibibytes(changed ? 2 : 1),
    runStrategy: VmRunStrategy.HALTED,
    hotplug: { maxCpus: 4, maxMemory: Size.gibibytes(4) },
  });
  const node = HarvesterNode.fromName(dc1, 'later-node', { name: 'later-node' });
  new PciDeviceClaim(dc1, 'pci', {
    node,
    address: name === '' ? PCI[0] : PCI[1],
    username: changed ? 'ana' : 'admin',
    resourceName: 'example.com/A',
  });
  new UsbDeviceClaim(dc1, 'usb', {
    name: name === '' ? USB[0] : USB[1],
    labels: changed ? { team: 'a' } : undefined,
  });
  const vpc = new OverlayVpc(dc1, `vpc${name}`, {
    routes: [{ cidr: '10.9.0.0/16', nextHop: changed ? '10.8.0.3' : '10.8.0.2' }],
  });
  new OverlaySubnet(dc1, `subnet${name}`, {
    vpc,
    network: new OverlayNetwork(dc1, `overlay${name}`, { namespace }),
    cidr: '10.8.0.0/24',
    isolated: changed,
  });
  new ClusterRepo(rancher, `repository${name}`, {
    url: `https://charts.example.com/${changed ? 'new' : 'old'}`,
  });
  new HarvesterUiExtension(rancher, 'ui', {
    version: changed ? '1.7.2' : '1.7.1',
    addRepository: false,
  });
  new OidcAuthConfig(rancher, 'sso', {
    provider: AuthProvider.KEYCLOAK_OIDC,
    clientId: changed ? 'rancher-2' : 'rancher',
    rancherUrl: 'https://rancher.example.com/verify-auth',
    issuer: 'https://sso.example.com',
  });
  new RancherFeature(rancher, 'harvester-baremetal-container-workload', { enabled: !changed });
  new ApiObject(rancher, 'apps', {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'GitRepo',
    metadata: { name: `apps${name}`, namespace: SPACE },
    spec: { repo: 'https://git.example.com/apps.git', branch: changed ? 'next' : 'main' },
  });
  new ApiObject(rancher, 'client', {
    apiVersion: MANAGEMENT,
    kind: 'OIDCClient',
    metadata: { name: `client${name}` },
    spec: {
      redirectURIs: ['https://app.example.com'],
      tokenExpirationSeconds: changed ? 900 : 600,
      refreshTokenExpirationSeconds: 3600,
    },
  });
  new ApiObject(dc1, 'upgrade', {
    apiVersion: HARVESTER,
    kind: 'Upgrade',
    metadata: { name: `upgrade${name}`, namespace: into },
    spec: { version: 'v1.9.1', logEnabled: changed },
  });
  new ApiObject(dc1, 'backup', {
    apiVersion: HARVESTER,
    kind: 'VirtualMachineBackup',
    metadata: { name: `backup${backup}`, namespace: SPACE, labels: { changed: String(changed) } },
    spec: {
      type: 'snapshot',
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'machine' },
    },
  });
}

const PCI = ['0000:04:01.0', '0000:04:02.0'];
const USB = ['later-node-0951-1666-001002', 'later-node-0951-1666-001003'];

const seeded = (
  target: 'rancher' | 'dc1',
  apiVersion: string,
  kind: string,
  name: string,
  fields: object = {},
): readonly [ClusterKind, Manifest] => [
  target === 'dc1' ? 'harvester' : 'rancher',
  { apiVersion, kind, metadata: { name }, ...fields },
];

const admission = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name: 'later-commits' },
};

/**
 * As Harvester's webhook: no one but controllers updates a version, not even without a change.
 * @see harvester/harvester:pkg/webhook/resources/templateversion/validator.go
 */
const WEBHOOK: readonly Manifest[] = [
  {
    ...admission,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['harvesterhci.io'],
            apiVersions: ['*'],
            operations: ['UPDATE'],
            resources: ['virtualmachinetemplateversions'],
          },
        ],
      },
      validations: [
        {
          expression: "request.options.fieldManager in ['harvester', 'someone']",
          message: 'Update templateVersion is not supported',
        },
      ],
    },
  },
  {
    ...admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: admission.metadata.name, validationActions: ['Deny'] },
  },
];

/** What is on the clusters before, written by their own controllers. */
const SEEDS = [
  seeded('rancher', 'v1', 'Namespace', SPACE),
  seeded('dc1', 'v1', 'Namespace', SPACE),
  seeded('dc1', 'v1', 'Namespace', `${SPACE}-2`),
  seeded('rancher', 'v1', 'Namespace', 'cattle-ui-plugin-system'),
  seeded('rancher', MANAGEMENT, 'AuthConfig', 'keycloakoidc', {
    type: 'keyCloakOIDCConfig',
    enabled: true,
    accessMode: 'unrestricted',
    nameClaim: 'name',
  }),
  seeded('rancher', MANAGEMENT, 'Feature', 'harvester-baremetal-container-workload', {
    spec: { value: null },
  }),
  ...['later-node-000004010', 'later-node-000004020'].map((name) =>
    seeded('dc1', DEVICES, 'PCIDevice', name),
  ),
  ...USB.map((name) => seeded('dc1', DEVICES, 'USBDevice', name)),
  // of someone else
  seeded('dc1', OVN, 'Vpc', 'later-other'),
  seeded('rancher', 'catalog.cattle.io/v1', 'ClusterRepo', 'later-other', {
    spec: { url: 'https://charts.example.com/other' },
  }),
];

describeCluster('later commits of a program', () => {
  const folder = tempFolder();
  let apis: { readonly [target: string]: ApiCluster };
  let commits = 0;

  beforeAll(async () => {
    apis = Object.fromEntries(
      (['rancher', 'dc1'] as const).map((name) => {
        const { url, ca, token } = clusters().connections[name === 'dc1' ? 'harvester' : name];
        return [
          name,
          new ApiCluster(
            new NodeTransport({
              name,
              server: new URL(url),
              ca,
              credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
            }),
          ),
        ];
      }),
    );
    for (const [kind, manifest] of SEEDS) {
      const client = clientOf(kind);
      const path = (await client.pathOf(manifest)).replace(/\/[^/]+$/, '');
      const { status, body } = await client.request('POST', path, {
        query: { fieldManager: 'rancher' },
        body: manifest,
      });
      expect({ manifest, message: status === 201 || status === 409 ? '' : body.message }).toEqual({
        manifest,
        message: '',
      });
    }
  });

  beforeAll(async () => {
    const client = clientOf('harvester');
    for (const manifest of WEBHOOK) {
      expect((await client.apply(manifest)).status).toBeLessThan(300);
    }
    const probe = {
      apiVersion: HARVESTER,
      kind: 'VirtualMachineTemplateVersion',
      metadata: { name: 'later-probe', namespace: SPACE },
      spec: { templateId: 'a/b', vm: { spec: { template: {} } } },
    };
    while ((await client.apply(probe)).status < 300) {
      await sleep(100);
    }
    expect((await client.apply(probe)).body).toMatchObject({
      message: expect.stringContaining('Update templateVersion is not supported'),
    });
    await client.delete(probe);
  });

  afterAll(async () => {
    for (const manifest of [...WEBHOOK].reverse()) {
      await clientOf('harvester').delete(manifest);
    }
    for (const [kind, manifest] of SEEDS) {
      await clientOf(kind).delete(manifest);
    }
    Object.values(apis ?? {}).forEach((api) => api.close());
  });

  function programOf(commit: Commit | undefined): RunProgram {
    const dist = writeObjects(
      folder,
      String(commits++),
      (dc1, rancher) => {
        if (commit) {
          declare(dc1, rancher, commit);
        } else {
          new OverlayVpc(dc1, 'left');
        }
      },
      { harvester: '1.9.0' },
    );
    const { assembly, manifests } = loadAssembly(dist);
    return {
      folder: dist,
      digest: 'a1',
      assembly,
      manifests,
      targets: fakeTargets(
        apis,
        Object.fromEntries(assembly.targets.map((target) => [target.name, target])),
      ),
    };
  }

  /** `<action> <kind> <name>` of each step; a step that an apply would not take is `refused`. */
  async function planned(program: RunProgram): Promise<string[]> {
    const { assembly, manifests, targets } = program;
    const { steps } = await makePlan(
      { ...program, graph: buildGraph(assembly, manifests) },
      {
        app: APP.id,
        fieldManager: APP.fieldManager,
        inventory: inventoryReader(APP),
        finish: withMembership(APP),
        late: new LateResolver(assembly, targets),
      },
    );
    return steps
      .map(
        ({ id, action, refused }) =>
          `${refused === undefined ? action : 'refused'} ${id
            .split('/')
            .filter((part, index) => index > 1 && part !== '')
            .join('/')}`,
      )
      .sort();
  }

  const apply = async (program: RunProgram) => {
    const { failed } = await applyProgram(program, {
      rolls: rollsByImpact,
      app: APP,
      timeoutMs: 600_000,
      acceptEmpty: true,
    });
    return failed.map(({ message }) => message);
  };

  /** All objects of a program as they are on the clusters, by kind and name. */
  async function live({ assembly }: RunProgram): Promise<ReadonlyMap<string, LiveObject>> {
    const read = await Promise.all(
      assembly.objects.map(
        async (object) =>
          [`${object.kind}/${object.name}`, await apis[object.target].read(object)] as const,
      ),
    );
    return new Map(read.flatMap(([key, object]) => (object ? [[key, object] as const] : [])));
  }

  const actions = (lines: readonly string[], ...wanted: string[]): string[] =>
    lines.filter((line) => wanted.includes(line.split(' ')[0]));

  test('a first commit creates everything, and a second run changes nothing', async () => {
    const program = programOf({});
    expect(actions(await planned(program), 'update')).toEqual([
      'update AuthConfig/keycloakoidc',
      'update Feature/harvester-baremetal-container-workload',
    ]);
    expect(await apply(program)).toEqual([]);
    const before = await live(program);
    expect([...before.keys()].sort()).toEqual(
      program.assembly.objects.map(({ kind, name }) => `${kind}/${name}`).sort(),
    );
    expect(actions(await planned(program), 'unchanged')).toHaveLength(
      program.assembly.objects.length,
    );
    expect(await apply(program)).toEqual([]);
    const versions = (objects: ReadonlyMap<string, LiveObject>) =>
      [...objects].map(([key, { metadata }]) => `${key} ${metadata.resourceVersion}`);
    expect(versions(await live(program))).toEqual(versions(before));
  });

  test('a change updates what it changes, and what someone else wrote in between remains', async () => {
    const first = programOf({});
    for (const { target, apiVersion, kind, name, namespace } of first.assembly.objects) {
      const client = clientOf(target === 'dc1' ? 'harvester' : 'rancher');
      const body = { metadata: { labels: { someone: 'else' } }, ...THEIRS[kind] };
      const answer = await client.request(
        'PATCH',
        await client.pathOf({ apiVersion, kind, metadata: { name, namespace } }),
        {
          query: { fieldManager: 'someone' },
          contentType: 'application/merge-patch+json',
          body,
        },
      );
      expect({ kind, message: answer.status === 200 ? '' : answer.body.message }).toEqual({
        kind,
        message: '',
      });
    }
    const before = await live(first);
    expect(actions(await planned(first), 'unchanged')).toHaveLength(first.assembly.objects.length);
    const second = programOf({ changed: true });
    const plan = await planned(second);
    expect(actions(plan, 'unchanged')).toEqual([
      'unchanged NetworkAttachmentDefinition/later-commits/overlay',
      'unchanged VirtualMachineTemplateVersion/later-commits/version',
    ]);
    expect(actions(plan, 'update')).toHaveLength(plan.length - 2);
    expect(await apply(second)).toEqual([]);
    const after = await live(second);
    for (const [key, object] of after) {
      expect([key, object.metadata.uid, object.metadata.labels?.someone]).toEqual([
        key,
        before.get(key)!.metadata.uid,
        'else',
      ]);
      expect([key, object]).toEqual([key, expect.objectContaining(expected(THEIRS[object.kind]))]);
    }
    expect(after.get('ClusterRepo/repository')).toMatchObject({
      spec: { url: 'https://charts.example.com/new' },
    });
    expect(after.get('Feature/harvester-baremetal-container-workload')).toMatchObject({
      spec: { value: false },
    });
    expect(actions(await planned(second), 'unchanged')).toHaveLength(plan.length);
  });

  test('an edit of a version of a template is refused before it is written', async () => {
    const program = programOf({ changed: true, edited: true });
    expect(actions(await planned(program), 'refused', 'update')).toEqual([
      'refused VirtualMachineTemplateVersion/later-commits/version',
    ]);
    expect(await apply(program)).toEqual([
      expect.stringContaining('Fix: create a version with a different name'),
    ]);
  });

  test('another backup by the same construct is refused before anything is written', async () => {
    const program = programOf({ changed: true, backup: '-2' });
    expect(actions(await planned(program), 'refused')).toEqual([
      'refused VirtualMachineBackup/later-commits/backup-2',
    ]);
    await expect(apply(program)).rejects.toThrow(
      /nothing was written[^]*is another object than VirtualMachineBackup later-commits\/backup/,
    );
  });

  test('other names, namespaces, and clusters delete what was there, and keep what holds data', async () => {
    const previous = programOf({ changed: true });
    const program = programOf({ changed: true, name: '-2', namespace: `${SPACE}-2` });
    await ownVersion('version', 'template', SPACE);
    const plan = await planned(program);
    expect(actions(plan, 'keep', 'refused', 'update')).toEqual([
      'keep VirtualMachine/later-commits/machine',
    ]);
    expect(actions(plan, 'create')).toHaveLength(12);
    // among them the version, with the template that owns it
    expect(actions(plan, 'prune')).toHaveLength(11);
    expect(await apply(program)).toEqual([]);
    await untilCollected('version', SPACE);
    expect([...(await live(previous)).keys()].sort()).toEqual([
      ...ALWAYS,
      'UIPlugin/harvester',
      'VirtualMachine/machine',
      'VirtualMachineBackup/backup',
    ]);
    expect(actions(await planned(program), 'unchanged')).toHaveLength(
      program.assembly.objects.length,
    );
  });

  test('without the objects, everything is deleted but data, what Rancher owns, and the last way in', async () => {
    const previous = programOf({ changed: true, name: '-2', namespace: `${SPACE}-2` });
    const program = programOf(undefined);
    await ownVersion('version-2', 'template-2', `${SPACE}-2`);
    const plan = await planned(program);
    expect(actions(plan, 'keep')).toEqual([
      'keep AuthConfig/keycloakoidc',
      `keep VirtualMachine/${SPACE}-2/machine-2`,
      `keep VirtualMachine/${SPACE}/machine`,
      `keep VirtualMachineBackup/${SPACE}/backup`,
    ]);
    expect(actions(plan, 'reset')).toEqual([
      'reset Feature/harvester-baremetal-container-workload',
    ]);
    expect(await apply(program)).toEqual([]);
    await untilCollected('version-2', `${SPACE}-2`);
    const left = await live(previous);
    expect([...left.keys()].sort()).toEqual([
      ...ALWAYS,
      'VirtualMachine/machine-2',
      'VirtualMachineBackup/backup',
    ]);
    // no administrator could log in without the provider, so it remains on
    expect(left.get('AuthConfig/keycloakoidc')).toMatchObject({
      enabled: true,
      clientId: 'rancher-2',
      nameClaim: 'name',
    });
    for (const [kind, manifest] of SEEDS) {
      expect([manifest, (await clientOf(kind).read(manifest)).status]).toEqual([manifest, 200]);
    }
  });

  /** Kubernetes deletes a version with its template. */
  async function untilCollected(version: string, namespace: string): Promise<void> {
    while (
      await apis.dc1.read({
        apiVersion: HARVESTER,
        kind: 'VirtualMachineTemplateVersion',
        name: version,
        namespace,
      })
    ) {
      await sleep(100);
    }
  }

  /** Harvester's controller makes a template the owner of its versions. */
  async function ownVersion(version: string, template: string, namespace: string): Promise<void> {
    const client = clientOf('harvester');
    const path = await client.pathOf({
      apiVersion: HARVESTER,
      kind: 'VirtualMachineTemplateVersion',
      metadata: { name: version, namespace },
    });
    const {
      body: {
        metadata: { uid },
      },
    } = await client.read({
      apiVersion: HARVESTER,
      kind: 'VirtualMachineTemplate',
      metadata: { name: template, namespace },
    });
    const body = {
      metadata: {
        ownerReferences: [
          { apiVersion: HARVESTER, kind: 'VirtualMachineTemplate', name: template, uid },
        ],
      },
    };
    expect(
      (
        await client.request('PATCH', path, {
          query: { fieldManager: 'harvester' },
          contentType: 'application/merge-patch+json',
          body,
        })
      ).status,
    ).toBe(200);
  }
});

/** What Rancher owns. */
const ALWAYS = ['AuthConfig/keycloakoidc', 'Feature/harvester-baremetal-container-workload'];

/** Matches objects with all of these fields and others. */
function expected(fields: object = {}): { readonly [field: string]: unknown } {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'object' ? expect.objectContaining(value) : value,
    ]),
  );
}

/** What controllers and users set in fields that the program does not. */
const THEIRS: { readonly [kind: string]: object } = {
  ClusterRepo: { spec: { forceUpdate: '2026-01-01T00:00:00Z' } },
  Subnet: { spec: { gateway: '10.8.0.1', excludeIps: ['10.8.0.1'] } },
};
