import { existsSync, mkdirSync, rmSync, writeFileSync } from 'fs';
import { delimiter, dirname, join } from 'path';
import * as cdk8s from 'cdk8s';
import type * as Library from '../../../src/index';
import { Authority } from '../authority';

/** Versions of the products where a block does not need others. */
const VERSIONS = { rancher: '2.13.8', harvester: '1.7.2' };

/**
 * Blocks that need other versions of the charts that they are given: which ones, their page states
 * in these words.
 */
export const OTHER_VERSIONS: readonly (readonly [
  page: string,
  part: string,
  stated: string,
  versions: Partial<typeof VERSIONS>,
])[] = [
  [
    'docs/rke1.md',
    'new Rke1Cluster(',
    'version 2.11 or earlier',
    { rancher: '2.11.3', harvester: '1.5.1' },
  ],
  [
    'src/guest/rke1/rke1-cluster.ts',
    'new Rke1Cluster(',
    'Only for Rancher before 2.12.0 and Harvester before 1.6.0',
    { rancher: '2.11.3', harvester: '1.5.1' },
  ],
  [
    'docs/objects-without-a-construct/rancher.md',
    "kind: 'ProxyEndpoint'",
    'Rancher 2.14',
    { rancher: '2.14.0' },
  ],
  [
    'docs/objects-without-a-construct/operations.md',
    "kind: 'ETCDSnapshotSave'",
    'Rancher 2.15',
    { rancher: '2.15.0' },
  ],
  [
    'docs/images-and-networks/host-networks.md',
    'new HostNetworkConfig(',
    'needs Harvester 1.8 or later',
    { harvester: '1.8.0' },
  ],
];

/** What the middle of a program may use without declaring it, with the types. */
export const GIVEN = {
  app: 'HarvesterApp',
  rancher: 'RancherChart',
  dc1: 'HarvesterChart',
  harvester: 'HarvesterImport',
  vmNamespace: 'INamespace',
  image: 'IVmImage',
  network: 'IVmNetwork',
  common: 'MachinePool',
  pools: 'MachinePool[]',
  props: 'GuestClusterProps',
  shop: 'GuestCluster',
} as const;

/** What an example of a doc comment may use without creating it. */
export const GIVEN_TO_SOURCES = {
  app: 'HarvesterApp',
  rancher: 'RancherChart',
  dc1: 'HarvesterChart',
  harvester: 'HarvesterImport',
  shop: 'GuestCluster',
} as const;

/** Values by the names of a program. */
export type Values = { readonly [name: string]: unknown };

/** What a block may use or declare without creating it. */
export interface Context {
  readonly app: Library.HarvesterApp;
  readonly rancher: Library.RancherChart;
  readonly dc1: Library.HarvesterChart;
  readonly harvester: Library.HarvesterImport;
  readonly vmNamespace: Library.INamespace;
  readonly image: Library.IVmImage;
  readonly network: Library.IVmNetwork;
  readonly common: Library.MachinePool;
  readonly pools: Library.MachinePool[];
  readonly props: Library.GuestClusterProps;
  readonly shop: Library.GuestCluster;
  readonly text: string;
  /** What was used so far, by name. */
  readonly created: ReadonlyMap<string, unknown>;
}

/**
 * Creates what a block uses when it is first used, so that an app contains no more than its block.
 */
export function contextOf(library: typeof Library, page: string, code: string): Context {
  const versions = {
    ...VERSIONS,
    ...OTHER_VERSIONS.find(([where, part]) => where === page && code.includes(part))?.[3],
  };
  const created = new Map<string, unknown>();
  const once = <T>(name: string, create: () => T): T => {
    if (!created.has(name)) {
      created.set(name, create());
    }
    return created.get(name) as T;
  };
  return {
    created,
    get app() {
      return once('app', () => new library.HarvesterApp());
    },
    get rancher() {
      return once(
        'rancher',
        () =>
          new library.RancherChart(this.app, 'rancher', {
            version: versions.rancher,
            serverUrl: 'https://rancher.example.com',
          }),
      );
    },
    get dc1() {
      return once(
        'dc1',
        () =>
          new library.HarvesterChart(this.app, 'dc1', {
            version: versions.harvester,
            vip: '10.10.0.10',
          }),
      );
    },
    get harvester() {
      return once(
        'harvester',
        () => new library.HarvesterImport(this.rancher, 'import-dc1', { harvester: this.dc1 }),
      );
    },
    get vmNamespace() {
      return once('vmNamespace', () =>
        library.HarvesterNamespace.fromName(this.dc1, 'given-namespace', { name: 'given-vms' }),
      );
    },
    get image() {
      return once('image', () =>
        library.VmImage.fromName(this.dc1, 'given-image', { name: 'noble' }),
      );
    },
    get network() {
      return once('network', () =>
        library.VmNetwork.fromName(this.dc1, 'given-network', { name: 'prod' }),
      );
    },
    get common() {
      const disks = [library.Disk.image(this.image, cdk8s.Size.gibibytes(40))];
      return {
        name: 'all',
        roles: library.MachineRoles.ALL,
        cpus: 4,
        memory: cdk8s.Size.gibibytes(8),
        disks,
        networks: [this.network],
      };
    },
    get pools() {
      return [{ ...this.common, quantity: 3 }];
    },
    get props() {
      return {
        harvesterImport: this.harvester,
        vmNamespace: this.vmNamespace,
        kubernetes: library.Kubernetes.rke2('v1.33.6+rke2r1'),
        pools: this.pools,
      };
    },
    get shop() {
      return once('shop', () => new library.GuestCluster(this.rancher, 'given-shop', this.props));
    },
    get text() {
      return '#cloud-config\npackages: [nginx]\n';
    },
  };
}

/**
 * Writes the files that a block reads into the current folder, and sets the environment variables
 * that it reads.
 */
export function prepare(library: typeof Library, code: string): void {
  const files = [...code.matchAll(/'([\w/-]+\.(?:pem|key))'/g)].map(([, file]) => file);
  if (files.length > 0) {
    const { cert, key } = new Authority().issue({ rsa: true });
    for (const file of files) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, file.endsWith('.key') ? key : cert);
    }
  }
  for (const [, name] of code.matchAll(/fromEnv\('(\w+)'/g)) {
    process.env[name] = name.endsWith('_HASH') ? '$6$salt$hash' : 'x'.repeat(54);
  }
  if (code.includes('SecretDelivery.sops(')) {
    addSops();
  }
  if (code.includes('environments/')) {
    writeEnvironments();
  }
  const isNeeded = (folder: string): boolean =>
    code.includes(`'${folder}'`) || (folder === 'manifests' && code.includes('deliverManifests('));
  for (const folder of ['dist', 'manifests'].filter(isNeeded)) {
    writeOutput(library, folder);
    // manifests are not those of this library
    if (folder === 'manifests') {
      rmSync(join(folder, 'assembly.json'));
    }
  }
}

/** Writes the data files of a program with several environments. */
function writeEnvironments(): void {
  mkdirSync('environments');
  for (const name of ['dev', 'stage', 'prod']) {
    const environment = {
      rancher: { version: VERSIONS.rancher, serverUrl: `https://rancher.${name}.example.com` },
      harvester: { version: VERSIONS.harvester, vip: '192.0.2.10' },
      idSalt: `example-salt-of-${name}`,
    };
    writeFileSync(join('environments', `${name}.json`), JSON.stringify(environment));
  }
}

/**
 * A program in place of sops, which is not on every machine: it has a version, and no block
 * encrypts anything.
 */
function addSops(): void {
  mkdirSync('bin');
  writeFileSync(
    join('bin', 'sops'),
    `#!${process.execPath}\nif (!process.argv.includes('--version')) { process.exit(1); }\nconsole.log('sops 3.13.3');\n`,
    { mode: 0o755 },
  );
  process.env.PATH = [join(process.cwd(), 'bin'), process.env.PATH].join(delimiter);
}

/** Writes an output with one object, which is ready as soon as it exists. */
function writeOutput(library: typeof Library, folder: string): void {
  const app = new library.HarvesterApp({ outdir: folder });
  const dc1 = new library.HarvesterChart(app, 'dc1', { version: VERSIONS.harvester });
  new cdk8s.ApiObject(dc1, 'given', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'given', namespace: 'default' },
  });
  app.synth();
}

/** Gives a value of a block to a construct, since a value that nothing uses is not judged. */
function useValue(library: typeof Library, given: Context, values: Values, name: string): void {
  const value = values[name];
  const id = `use-of-${name}`.toLowerCase();
  const machine = (props: Partial<Library.VirtualMachineProps>): unknown => {
    // a whole program has a Harvester of its own
    const dc1 = (values.dc1 ?? given.dc1) as Library.HarvesterChart;
    // of its own, since values may have the same addresses
    const networks = [library.VmNetwork.fromName(dc1, `network-${id}`, { name: id })];
    const image = library.VmImage.fromName(dc1, `image-${id}`, { name: id });
    return new library.VirtualMachine(dc1, id, {
      namespace: library.HarvesterNamespace.fromName(dc1, `namespace-${id}`, { name: id }),
      cpus: 4,
      memory: given.common.memory,
      disks: [library.Disk.image(image, cdk8s.Size.gibibytes(40))],
      ...(props.nics ? {} : { networks }),
      ...props,
    });
  };
  const pools = (pool: Partial<Library.MachinePool>): Library.MachinePool[] => [
    { ...given.common, ...pool },
  ];
  const cluster = (props: Partial<Library.GuestClusterProps>): unknown =>
    new library.GuestCluster(given.rancher, id, {
      harvesterImport: given.harvester,
      vmNamespace: given.vmNamespace,
      kubernetes: library.Kubernetes.rke2('v1.33.6+rke2r1'),
      pools: given.pools,
      ...props,
    });
  if (value instanceof library.CloudInit) {
    machine({ cloudInit: value });
  }
  if (value instanceof library.NetworkData) {
    machine({ networkData: value });
  }
  if (value instanceof library.Kubernetes) {
    cluster({ kubernetes: value });
  }
  if (value instanceof library.CloudProvider) {
    cluster({ cloudProvider: value });
  }
  if (value instanceof library.VmAffinity) {
    cluster({ pools: pools({ quantity: 3, affinity: value }) });
  }
  if (name === 'rollingUpdate') {
    cluster({
      pools: pools({ quantity: 3, rollingUpdate: value as Library.MachineRollingUpdate }),
    });
  }
  if (name === 'control') {
    cluster({ pools: [value as Library.MachinePool] });
  }
  if (name === 'disks') {
    machine({ disks: value as Library.Disk[] });
  }
  if (name === 'nics') {
    machine({ nics: value as Library.Nic[] });
  }
  if (name === 'platform' && !('app' in values)) {
    (value as (app: Library.HarvesterApp) => void)(given.app);
  }
  if (typeof value === 'string') {
    const metadata = { name: id, namespace: 'default' };
    // a whole program has a Rancher of its own
    const rancher = (values.rancher ?? given.rancher) as Library.RancherChart;
    new cdk8s.ApiObject(rancher, id, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { value },
    });
  }
}

/**
 * Judges and synthesizes the apps of a block, its own and the one it was given.
 *
 * @param values all that the block made
 * @returns the errors
 */
export function errorsOf(library: typeof Library, given: Context, values: Values): string[] {
  for (const name of Object.keys(values)) {
    useValue(library, given, values, name);
  }
  const apps = [...given.created.values(), ...Object.values(values)].filter(
    (value) => value instanceof library.HarvesterApp,
  );
  // synthesis has judged the apps of a function that synthesizes each, and an engine what it delivers
  const isWritten = [join('dist', 'prod'), 'gitops'].some((folder) =>
    existsSync(join(folder, 'assembly.json')),
  );
  if (apps.length === 0 && isWritten) {
    return [];
  }
  if (apps.length === 0) {
    return ['the block creates nothing that can be judged: give its values to a construct'];
  }
  return apps.flatMap((app) => {
    const errors = app
      .validate()
      .filter(({ level }) => level === library.FindingLevel.ERROR)
      .map(({ rule, message }) => `${rule}: ${message}`);
    if (errors.length === 0) {
      app.synth();
    }
    return errors;
  });
}
