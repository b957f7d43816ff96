import { writeFileSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import {
  ClusterNetwork,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  Kubernetes,
  MachineRoles,
  RancherChart,
  VGpu,
  VirtualMachine,
  VmImage,
  VmNetwork,
} from '../../../src';
import { TargetOptions } from '../../../src/engine/files/judged-targets';
import { lintPaths } from '../../../src/engine/read/lint';
import { tempFolder } from '../../support/temp';

/* Files as they are in repositories, one or two for each kind of mistake that was found there:
   what servers refuse is found, and what they accept is not. */

const on = (version: string): TargetOptions =>
  version.startsWith('2.')
    ? { targetKind: 'rancher', rancherVersion: version }
    : { targetKind: 'harvester', harvesterVersion: version };

/** The errors and warnings of a text, as `level rule: message`. */
function told(yaml: string, version: string, before?: string): string[] {
  const folder = tempFolder();
  writeFileSync(join(folder, 'all.yaml'), yaml);
  const previous = tempFolder();
  writeFileSync(join(previous, 'all.yaml'), before ?? '');
  return lintPaths([folder], {
    ...on(version),
    ...(before === undefined ? {} : { before: [previous] }),
  }).map(({ level, rule, message, path }) => `${level} ${rule} ${path}: ${message}`);
}

/** A machine that runs, with fields of its domain and metadata. */
const machine = (domain: string, metadata = ''): string => `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: { name: web, namespace: default${metadata} }
spec:
  runStrategy: RerunOnFailure
  template:
    spec:
      domain: { ${domain} }
      networks: [{ name: default, multus: { networkName: default/prod } }]
      volumes: [{ name: root, persistentVolumeClaim: { claimName: web-root } }]
`;
const DEVICES =
  'devices: { disks: [{ name: root, disk: { bus: virtio }, bootOrder: 1 }], interfaces: [{ name: default, bridge: {}, model: virtio, macAddress: "52:54:00:12:34:56" }] }';
const LIMITS = 'resources: { limits: { cpu: "2", memory: 4Gi } }';
const claim = (name: string, storageClass: string): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name}, namespace: default }
spec:
  accessModes: [ReadWriteMany]
  resources: { requests: { storage: 1Gi } }
  storageClassName: ${storageClass}
  volumeMode: Block
`;

interface Row {
  readonly title: string;
  readonly version: string;
  readonly yaml: string;
  readonly before?: string;
  /** Patterns of findings, one each; findings that none of them matches are ignored. */
  readonly finds?: readonly RegExp[];
  /** Patterns of findings that must not be there. */
  readonly not?: readonly RegExp[];
}

const ROWS: readonly Row[] = [
  {
    title: 'reads a double-quoted text whose lines begin further left',
    version: '1.8.2',
    yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: default }\ndata:\n  text: "{\n\\"a\\": 1\n}"\n',
    not: [/no-yaml/],
  },
  {
    title: 'reads a comment after a closing quote, and a flow map that ends at the margin',
    version: '1.8.2',
    yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {\nname: a,\nnamespace: default\n}\ndata:\n  a: 'x' # why\n",
    not: [/no-yaml/],
  },
  {
    title: 'refuses a claim of the class of machine states from Harvester 1.8 on',
    version: '1.8.2',
    yaml: claim('state', 'vmstate-persistence'),
    finds: [/^error .*reserved/],
  },
  {
    title: 'only warns of that claim for Harvester 1.7',
    version: '1.7.2',
    yaml: claim('state', 'vmstate-persistence'),
    finds: [/^warning volume\/reserved-class/],
    not: [/^error/],
  },
  {
    title: 'refuses a kind that is the plural of another',
    version: '1.8.2',
    yaml: 'apiVersion: loadbalancer.harvesterhci.io/v1beta1\nkind: IPPools\nmetadata: { name: a }\nspec: {}\n',
    finds: [/^(error|warning) object\/kind-known.*IPPool/],
  },
  {
    title: 'refuses a version that Rancher does not serve',
    version: '2.15.0',
    yaml: 'apiVersion: management.cattle.io/v1\nkind: Project\nmetadata: { name: p, namespace: c-m-abcdefgh }\nspec: { clusterName: c-m-abcdefgh, displayName: p }\n',
    finds: [/^(error|warning) object\/kind-known.*v3/],
  },
  {
    title: 'accepts a NIC whose address is in the annotation',
    version: '1.8.2',
    yaml: machine(
      `cpu: { cores: 2 }, ${DEVICES.replace(', macAddress: "52:54:00:12:34:56"', '')}, ${LIMITS}`,
      `, annotations: { harvesterhci.io/mac-address: '{"default":"52:54:00:12:34:57"}' }`,
    ),
    not: [/mac-address/],
  },
  {
    title: 'finds one address in the annotation of one machine and in the spec of another',
    version: '1.8.2',
    yaml: `${machine(`cpu: { cores: 2 }, ${DEVICES}, ${LIMITS}`)}---\n${machine(
      `cpu: { cores: 2 }, ${DEVICES.replace(', macAddress: "52:54:00:12:34:56"', '')}, ${LIMITS}`,
      `, annotations: { harvesterhci.io/mac-address: '{"default":"52:54:00:12:34:56"}' }`,
    ).replace('name: web,', 'name: other,')}`,
    finds: [/mac-twice/],
  },
  {
    title: 'accepts memory in requests only before Harvester 1.7',
    version: '1.6.1',
    yaml: machine(`cpu: { cores: 1 }, ${DEVICES}, resources: { requests: { memory: 2Gi } }`),
    not: [/^error/],
  },
  {
    title: 'accepts memory of the guest without a limit from Harvester 1.7 on',
    version: '1.7.2',
    yaml: machine(`cpu: { cores: 1 }, memory: { guest: 2Gi }, ${DEVICES}, resources: {}`),
    not: [/^error virtual-machine\/spec/],
  },
  {
    title: 'refuses a restore into another namespace from a snapshot',
    version: '1.8.2',
    yaml: `apiVersion: harvesterhci.io/v1beta1
kind: VirtualMachineBackup
metadata: { name: b, namespace: other }
spec: { type: snapshot, source: { apiGroup: kubevirt.io, kind: VirtualMachine, name: web } }
---
apiVersion: harvesterhci.io/v1beta1
kind: VirtualMachineRestore
metadata: { name: r, namespace: default }
spec: { newVM: true, target: { apiGroup: kubevirt.io, kind: VirtualMachine, name: copy }, virtualMachineBackupName: b, virtualMachineBackupNamespace: other }
`,
    finds: [/^error vm-restore/],
  },
  {
    title: 'refuses a restore as a new machine under a name that is declared',
    version: '1.8.2',
    yaml: `${machine(`cpu: { cores: 2 }, ${DEVICES}, ${LIMITS}`)}---
apiVersion: harvesterhci.io/v1beta1
kind: VirtualMachineRestore
metadata: { name: r, namespace: default }
spec: { newVM: true, target: { apiGroup: kubevirt.io, kind: VirtualMachine, name: web }, virtualMachineBackupName: b, virtualMachineBackupNamespace: default }
`,
    finds: [/^(error|warning) vm-restore/],
  },
  {
    title: 'refuses a new label of pod security of a live namespace while Harvester sets them',
    version: '1.8.2',
    yaml: `apiVersion: harvesterhci.io/v1beta1
kind: Setting
metadata: { name: cluster-pod-security-standard }
value: '{"enabled":true,"whitelistedNamespacesList":"","privilegedNamespacesList":"","restrictedNamespacesList":""}'
---
apiVersion: v1
kind: Namespace
metadata: { name: a, labels: { pod-security.kubernetes.io/warn: baseline } }
`,
    before: 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n',
    finds: [/^error namespace\/pod-security/],
  },
  {
    title: 'accepts these labels while the setting is off',
    version: '1.8.2',
    yaml: `apiVersion: harvesterhci.io/v1beta1
kind: Setting
metadata: { name: cluster-pod-security-standard }
value: '{"enabled":false,"whitelistedNamespacesList":"","privilegedNamespacesList":"","restrictedNamespacesList":""}'
---
apiVersion: v1
kind: Namespace
metadata: { name: a, labels: { pod-security.kubernetes.io/enforce: baseline } }
`,
    not: [/^error/],
  },
  {
    title: 'refuses guest memory and reserved memory above the limit',
    version: '1.8.2',
    yaml: machine(
      `cpu: { cores: 2, sockets: 1, threads: 1 }, memory: { guest: 3900Mi, maxGuest: 4Gi }, ${DEVICES}, ${LIMITS}`,
      ', annotations: { harvesterhci.io/reservedMemory: 512Mi, harvesterhci.io/enableCPUAndMemoryHotplug: "true" }',
    ),
    finds: [/^error .*reserved/i],
  },
  {
    title: 'accepts them up to the limit',
    version: '1.8.2',
    yaml: machine(
      `cpu: { cores: 2, sockets: 1, threads: 1 }, memory: { guest: 3Gi, maxGuest: 4Gi }, ${DEVICES}, ${LIMITS}`,
      ', annotations: { harvesterhci.io/reservedMemory: 1Gi, harvesterhci.io/enableCPUAndMemoryHotplug: "true" }',
    ),
    not: [/^error .*reservedMemory/],
  },
  {
    title: 'reports a misspelled key of the project of a namespace',
    version: '1.8.2',
    yaml: 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a, annotations: { field.cattle.io/projectID: c-m-abcdefgh:p-abcde } }\n',
    finds: [/^warning .*projectId/],
  },
  {
    title: 'reports a misspelled key of the reserved memory',
    version: '1.8.2',
    yaml: machine(
      `cpu: { cores: 2 }, ${DEVICES}, ${LIMITS}`,
      ', annotations: { harvesterhci.io/reserved-memory: 256Mi }',
    ),
    finds: [/^warning .*reservedMemory/],
  },
  {
    title: 'warns of a GitRepo of fleet-local that names a downstream cluster',
    version: '2.15.0',
    yaml: 'apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: { name: a, namespace: fleet-local }\nspec: { repo: "https://git.example.com/a.git", paths: [a], targets: [{ clusterName: shop }] }\n',
    finds: [/^warning git-repo\/targets .*selects no Cluster/],
  },
  {
    title: 'accepts a selector that leaves Harvesters out',
    version: '2.15.0',
    yaml: `apiVersion: provisioning.cattle.io/v1
kind: Cluster
metadata: { name: hv, namespace: fleet-default, labels: { provider.cattle.io: harvester } }
spec: {}
---
apiVersion: fleet.cattle.io/v1alpha1
kind: GitRepo
metadata: { name: a, namespace: fleet-default }
spec:
  repo: https://git.example.com/a.git
  paths: [a]
  targets: [{ clusterSelector: { matchExpressions: [{ key: provider.cattle.io, operator: NotIn, values: [harvester] }] } }]
`,
    not: [/GitRepo.*Harvester|selector/],
  },
  {
    title: 'warns that CDI checks no sum',
    version: '1.8.2',
    yaml: `apiVersion: harvesterhci.io/v1beta1
kind: VirtualMachineImage
metadata: { name: a, namespace: default }
spec: { displayName: a, sourceType: download, url: "https://images.example.com/a.qcow2", backend: cdi, targetStorageClassName: nfs, checksum: ${'ab'.repeat(64)} }
`,
    finds: [/^warning .*checksum.*not checked|^warning .*not checked/],
  },
  {
    title: 'accepts the sum of an image that Longhorn stores',
    version: '1.8.2',
    yaml: `apiVersion: harvesterhci.io/v1beta1
kind: VirtualMachineImage
metadata: { name: a, namespace: default }
spec: { displayName: a, sourceType: download, url: "https://images.example.com/a.qcow2", backend: backingimage, checksum: ${'ab'.repeat(64)} }
`,
    not: [/checksum/],
  },
  ...['1.5.2', '1.6.1'].map((version) => ({
    title: `accepts a trunk on Harvester ${version}, whose VLANs have networks of their own`,
    version,
    yaml: [
      ['edge', '"vlanTrunk":[{"minID":20,"maxID":20}]', ''],
      ['v20', '"vlan":20', ', network.harvesterhci.io/vlan-id: "20"'],
    ]
      .map(
        ([name, vlan, label]) => `apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: ${name}, namespace: default, labels: { network.harvesterhci.io/clusternetwork: uplink, network.harvesterhci.io/type: ${name === 'edge' ? 'UntaggedNetwork' : 'L2VlanNetwork'}${label} } }
spec:
  config: '{"cniVersion":"0.3.1","name":"${name}","type":"bridge","bridge":"uplink-br","promiscMode":true,"ipam":{},${vlan}}'
`,
      )
      .join('---\n'),
    not: [/network-attachment\/config|overwrites it/],
  })),
];

test.each(ROWS)('$title', ({ yaml, version, before, finds = [], not = [] }) => {
  const found = told(yaml, version, before);
  for (const pattern of finds) {
    expect(found).toContainEqual(expect.stringMatching(pattern));
  }
  expect(found.filter((each) => not.some((pattern) => pattern.test(each)))).toEqual([]);
});

const NOBLE = 'https://images.example.com/noble.img';

/** A Harvester with an image and a network. */
function harvester(version: string): {
  readonly app: HarvesterApp;
  readonly dc1: HarvesterChart;
  readonly image: VmImage;
  readonly network: VmNetwork;
} {
  const app = new HarvesterApp({ outdir: tempFolder(), idSalt: 'a-salt-of-the-program' });
  const dc1 = new HarvesterChart(app, 'dc1', { version, vip: '10.10.0.10' });
  const image = VmImage.download(dc1, 'noble', { url: NOBLE });
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
  });
  return { app, dc1, image, network };
}

const errorsOf = (app: HarvesterApp): string[] =>
  app.validate().flatMap(({ level, rule }) => (level === 'error' ? [rule] : []));

test.each([
  ['1.6.0', []],
  ['1.6.1', ['sockets']],
  ['1.8.2', ['sockets']],
  ['1.9.0', []],
])('judges three sockets of a machine on Harvester %s', (version, expected) => {
  const { app, dc1, image, network } = harvester(version);
  new VirtualMachine(dc1, 'db', {
    cpus: 6,
    cpuSockets: 3,
    memory: Size.gibibytes(16),
    disks: [Disk.image(image, Size.gibibytes(40))],
    networks: [network],
  });
  const found = app
    .validate()
    .filter(({ level, message, path }) => level === 'error' && /ocket/.test(message + path));
  expect(found.map(() => 'sockets')).toEqual(expected);
});

test.each([
  ['1.7.2', 'gpus'],
  ['1.8.0', 'hostDevices'],
])('writes a virtual GPU of a machine as Harvester %s stores it', (version, field) => {
  const { dc1, image, network } = harvester(version);
  const { apiObject } = new VirtualMachine(dc1, 'ai', {
    cpus: 4,
    memory: Size.gibibytes(16),
    disks: [Disk.image(image, Size.gibibytes(40))],
    networks: [network],
    vgpus: [VGpu.of('nvidia.com/NVIDIA_L4-2Q', { device: 'node2-000009004' })],
  });
  const { devices } = apiObject.toJson().spec.template.spec.domain;
  const names = (devices[field] as { deviceName: string }[]).map(({ deviceName }) => deviceName);
  expect(names).toEqual(['nvidia.com/NVIDIA_L4-2Q']);
  expect(devices[field === 'gpus' ? 'hostDevices' : 'gpus']).toBeUndefined();
});

test.each([
  ['v1.34.2+rke2r1', true],
  ['v1.34.10+rke2r1', false],
])('judges a dual-stack cluster of %s by its cloud provider', (kubernetes, isFound) => {
  const { app, dc1, image, network } = harvester('1.8.2');
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.15.0',
    serverUrl: 'https://rancher.example.com',
  });
  new GuestCluster(rancher, 'shop', {
    harvesterImport: new HarvesterImport(rancher, 'import', { harvester: dc1 }),
    vmNamespace: new HarvesterNamespace(dc1, 'shop-vms'),
    kubernetes: Kubernetes.rke2(kubernetes, {
      clusterCidrs: ['10.42.0.0/16', 'fd00:42::/56'],
      serviceCidrs: ['10.43.0.0/16', 'fd00:43::/112'],
    }),
    pools: [
      {
        name: 'all',
        quantity: 3,
        roles: MachineRoles.ALL,
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(40))],
        networks: [network],
      },
    ],
  });
  const about = app
    .validate()
    .filter(({ message }) => /the cluster never becomes active/.test(message));
  expect(about.length > 0).toBe(isFound);
  expect(errorsOf(app)).toEqual([]);
});
